import { Client, type ClientConfig } from 'pg';

/**
 * A connection that tells the server what the settings say, and nothing that node-postgres finds in the environment.
 */
export class ServiceClient extends Client {
  constructor(private readonly given: ClientConfig = {}) {
    super(given);
    // Whoever waits for an answer learns of the end of the connection; without a listener the process would end.
    this.on('error', () => undefined);
  }

  /** The start-up parameters, in node-postgres' place: it would add PGOPTIONS and PGREPLICATION. */
  // private: Client.getStartupConf
  getStartupConf(): Record<string, string> {
    const { user, database, application_name, statement_timeout, lock_timeout } = this.given;
    const { idle_in_transaction_session_timeout } = this.given;
    const all = {
      user,
      database,
      application_name,
      statement_timeout,
      lock_timeout,
      idle_in_transaction_session_timeout,
    };
    return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])));
  }
}

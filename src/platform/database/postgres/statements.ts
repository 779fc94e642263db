import { Query, type Connection, type QueryResult, type Submittable } from 'pg';

export interface Statement {
  sql: string;
  parameters?: unknown[];
}

/** What node-postgres calls on a query, of which its types tell nothing. */
interface RunningQuery {
  _result: QueryResult; // private: Query._result
  prepare(connection: Connection): void; // private: Query.prepare
  handleRowDescription(message: unknown): void; // private: Query.handleRowDescription
  handleDataRow(message: unknown): void; // private: Query.handleDataRow
  handleCommandComplete(message: unknown, connection: Connection): void; // private: Query.handleCommandComplete
}
// private: Query.prepare
const RunningQuery = Query as unknown as new (config: object, done: () => void) => RunningQuery;

/** One of several statements. The same text again is parsed only once; nothing stays prepared on the server. */
class Sent extends RunningQuery {
  constructor(
    { sql, parameters }: Statement,
    types: unknown,
    private readonly isParsed: boolean,
  ) {
    super({ text: sql, values: parameters ?? [], types }, () => undefined);
  }

  // private: Query.hasBeenParsed
  hasBeenParsed(): boolean {
    return this.isParsed;
  }
}

/**
 * Several statements in one round trip, carried out in order. The first one that fails ends them:
 * the server skips the rest (protocol manual, 55.2.3: one Sync for all).
 */
export class Statements implements Submittable {
  readonly results: Promise<QueryResult[]>;
  /** node-postgres calls it when no answer came in time. */
  callback: (error: Error | null) => void;
  private readonly sent: Sent[];
  private answered = 0;

  constructor(statements: Statement[], types: unknown) {
    this.sent = statements.map((statement, n) => new Sent(statement, types, statements[n - 1]?.sql === statement.sql));
    this.results = new Promise((resolve, reject) => {
      this.callback = (error) => (error ? reject(error) : resolve(this.sent.map(({ _result }) => _result)));
    });
  }

  submit(connection: Connection): void {
    // private: Connection.sync, Connection.stream
    const withoutSync = Object.create(connection, { sync: { value: () => undefined } }) as Connection;
    connection.stream.cork();
    this.sent.forEach((query) => query.prepare(withoutSync));
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription(message: unknown): void {
    this.sent[this.answered]!.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.sent[this.answered]!.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.sent[this.answered]!.handleCommandComplete(message, connection);
    this.answered += 1;
  }

  handleEmptyQuery(): void {
    this.answered += 1;
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }
}

import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The wire between the service and its database, for a test to cut or to hold. */
export class Wire {
  /** Everything that was sent to the database. */
  sent = '';
  private readonly sockets = new Set<Socket>();
  private server: Server;
  private fatal?: string;
  private silencing?: string;
  private undelivered?: string;
  private isFrozen = false;
  private port = 0;

  private constructor(private readonly target: URL) {}

  static async to(url: string): Promise<Wire> {
    const wire = new Wire(new URL(url));
    await wire.mend();
    return wire;
  }

  /** The address of the database at this end of the wire. */
  get url(): string {
    return Object.assign(new URL(this.target), { host: `127.0.0.1:${this.port}` }).href;
  }

  /** Ends every connection and takes no new one. */
  async cut(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((done) => this.server.close(done));
  }

  async mend(): Promise<void> {
    this.server = createServer((near) => this.connect(near)).listen(this.port, '127.0.0.1');
    await new Promise((ready) => this.server.once('listening', ready));
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** The connections of now stay open, but nothing arrives on them any more. */
  hold(): void {
    this.sockets.forEach((socket) => socket.pause());
  }

  /** The connections of now and those to come are open and dead, as with a machine that is frozen. */
  freeze(): void {
    this.isFrozen = true;
    this.hold();
  }

  /** Those to come reach the database again; those of before stay as they are. */
  replace(): void {
    this.isFrozen = false;
  }

  /** Delivers the next statement that holds this text; nothing comes back on its connection any more. */
  silenceTheAnswerTo(statement: string): void {
    this.silencing = statement;
  }

  /** Delivers the next statement that holds this text, and loses the answer with the connection. */
  loseTheAnswerTo(statement: string): void {
    this.fatal = statement;
  }

  /** Loses the next statement that holds this text, and the connection with it. */
  lose(statement: string): void {
    this.undelivered = statement;
  }

  private connect(near: Socket): void {
    if (this.isFrozen) {
      this.sockets.add(near.on('error', () => undefined).on('close', () => this.sockets.delete(near)));
      return;
    }
    const far = createConnection(Number(this.target.port || 5432), this.target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('data', (data) => {
        if (from === near && this.undelivered !== undefined && data.includes(this.undelivered)) {
          this.undelivered = undefined;
          near.destroy();
        } else {
          to.write(data);
        }
      });
      from.on('close', () => this.sockets.delete(from) && to.destroy());
      from.on('error', () => to.destroy());
    }
    near.on('data', (data) => {
      this.sent += data.toString('latin1');
      if (this.silencing !== undefined && data.includes(this.silencing)) {
        this.silencing = undefined;
        far.removeAllListeners('data');
      }
      if (this.fatal !== undefined && data.includes(this.fatal)) {
        this.fatal = undefined;
        far.removeAllListeners('data').once('data', () => near.destroy());
      }
    });
  }
}

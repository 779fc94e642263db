import { connect, type Socket } from 'node:net';
import { until } from './until';

/** A connection on which a test writes what it likes, and sees the bytes that come back. */
export class Connection {
  received = '';
  isClosed = false;

  private constructor(private readonly socket: Socket) {
    socket
      .on('data', (chunk) => (this.received += chunk.toString('latin1')))
      .on('close', () => (this.isClosed = true))
      // A test looks at `received` and `isClosed`; a reset is one way of closing.
      .on('error', () => {});
  }

  static async to(url: string): Promise<Connection> {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    const connection = new Connection(socket);
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    return connection;
  }

  /** Fulfils when the bytes are handed to the system. */
  write(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) =>
      this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => resolve()),
    );
  }

  /** The statuses of all answers so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  answers(count: number): Promise<void> {
    return until(() => this.statuses.length >= count || this.isClosed);
  }

  closed(): Promise<void> {
    return until(() => this.isClosed);
  }

  /** Says that nothing more comes, and still reads. */
  end(): Promise<void> {
    return new Promise((resolve) => this.socket.end(resolve));
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Hangs up, and reads no more. */
  destroy(): void {
    this.socket.destroy();
  }

  /** Leaves without a word; the other side sees ECONNRESET. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}

import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { headersOf, type Seen } from '../support/documented';
import type { Fuzzed } from './requests';

const LONGEST_WAIT_MS = 10_000;

/** Sends bytes as they are, which no HTTP client would, and reads one answer. Keeps connections for the next ones. */
export class RawHttp {
  private readonly idle: Socket[] = [];
  private readonly hostname: string;
  private readonly port: number;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.hostname = hostname;
    this.port = Number(port);
  }

  /** The answer; null when the server closes without one. Rejects when nothing comes, or nothing that is HTTP. */
  exchange({ bytes, method, path, end }: Fuzzed): Promise<Seen | null> {
    const socket = this.idle.pop() ?? connect(this.port, this.hostname).setNoDelay();
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const settle = (done: () => void) => {
        clearTimeout(timer);
        socket.removeAllListeners();
        // Without a listener, a late error would end the process.
        socket.on('error', () => {});
        done();
      };
      const timer = global.setTimeout(() => settle(() => reject(new Error('no answer'))), LONGEST_WAIT_MS);
      socket.on('error', () => {});
      socket.on('close', () => settle(() => resolve(null)));
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        const answer = parse(received, method, path);
        if (answer instanceof Error) {
          settle(() => reject(answer));
        } else if (answer) {
          settle(() => resolve(answer));
          if (end === 'here' && answer.headers.get('connection')?.[0] === 'keep-alive') {
            socket.once('close', () => this.drop(socket));
            this.idle.push(socket);
          } else {
            socket.destroy();
          }
        }
      });
      socket.write(bytes);
      if (end === 'later') {
        socket.end();
      }
    });
  }

  /** Sends a part of a request, and leaves with a reset: at once, or when the service has begun to work on it. */
  async leave(part: Buffer): Promise<void> {
    const socket = this.idle.pop() ?? connect(this.port, this.hostname).setNoDelay();
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.removeAllListeners('data').on('error', () => {});
    await new Promise<void>((resolve) => socket.write(part, () => resolve()));
    await setTimeout(part.length % 4);
    socket.resetAndDestroy();
    await closed;
  }

  close(): void {
    this.idle.splice(0).forEach((socket) => socket.destroy());
  }

  private drop(socket: Socket): void {
    const index = this.idle.indexOf(socket);
    if (index >= 0) {
      this.idle.splice(index, 1);
    }
  }
}

/** One answer (RFC 9112), undefined while it is not whole. Every answer with a body tells its length. */
function parse(received: Buffer, method: string, path: string): Seen | Error | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) {
    return undefined;
  }
  const [statusLine = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (status === 100) {
    return parse(received.subarray(end + 4), method, path);
  }
  const headers = headersOf(lines);
  const told = headers.get('content-length')?.[0];
  // To HEAD a list says none (RFC 9110, 9.3.2): the answer ends with its head.
  const hasBody = method !== 'HEAD' && ![204, 304].includes(status);
  if (Number.isNaN(status) || (told === undefined && hasBody && headers.get('connection')?.[0] !== 'close')) {
    return new Error(`an answer of unknown length: ${[statusLine, ...lines].join(' | ')}`);
  }
  const length = method === 'HEAD' ? 0 : Number(told ?? 0);
  const body = received.subarray(end + 4);
  return body.length < length
    ? undefined
    : { method, path, status, headers, body: body.subarray(0, length).toString() };
}

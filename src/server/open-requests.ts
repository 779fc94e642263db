import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows the connections, and the requests on them that are not answered yet. Before the end, answers say
 * `Connection: close`, which moves the client to another process; but only the answer to the latest request of
 * a pipeline: Node ends the connection there, and later ones would never be answered (RFC 9112, section 9.3.2).
 */
export class OpenRequests {
  private readonly sockets = new Set<Socket>();
  private readonly latest = new Map<Socket, ServerResponse<IncomingMessage>>();
  private readonly arrived = new WeakMap<Socket, IncomingMessage>();
  private closing = false;
  count = 0;

  addConnection(socket: Socket): void {
    if (!this.sockets.has(socket)) {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    }
  }

  add(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    this.count += 1;
    this.arrived.set(socket, req);
    if (this.closing) {
      keepOpen(this.latest.get(socket));
      close(res);
    }
    this.latest.set(socket, res);
    res.once('close', () => {
      this.count -= 1;
      if (this.latest.get(socket) === res) {
        this.latest.delete(socket);
      }
    });
  }

  /** The last of the pipeline that is not answered yet. */
  latestOn(socket: Socket): ServerResponse<IncomingMessage> | undefined {
    return this.latest.get(socket);
  }

  /** Whether the body of an answered request is still arriving, so that what goes wrong with it needs no answer. */
  hasAnswered(socket: Socket): boolean {
    return !this.latest.has(socket) && this.arrived.get(socket)?.complete === false;
  }

  /** Whether nothing that follows on a connection is answered any more, so that it must not be done (RFC 9112, 9.6). */
  isEnding(socket: Socket): boolean {
    const last = this.latest.get(socket);
    return !socket.writable || (last?.headersSent === true && last.getHeader('connection') === 'close');
  }

  /** From now on, on every connection. */
  sayClose(): void {
    this.closing = true;
    this.latest.forEach(close);
  }

  /** Closes connections on which nothing was ever sent; Node does not count them as idle. */
  closeSilent(): void {
    this.sockets.forEach((socket) => socket.bytesRead === 0 && socket.destroy());
  }
}

function close(res: ServerResponse): void {
  if (!res.headersSent) {
    res.setHeader('Connection', 'close');
  }
}

function keepOpen(res: ServerResponse | undefined): void {
  if (res && !res.headersSent) {
    res.removeHeader('Connection');
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { networkOf, networkOfConnection } from '../http';
import { ConnectionLimit } from './connection-limit';

type Response = ServerResponse<IncomingMessage>;

/** Bytes that all unread answers may take together: those of 64 clients that ask for the largest pages. */
const UNREAD_BYTES = 128 * 1_048_576;
const MEASURE_EVERY_MS = 250;
/** Requests of one connection that may wait for an answer: Node reads thousands of small ones in one go. */
const MOST_IN_A_PIPELINE = 100;
/** A client that has just connected is about to send. */
const SILENT_MS = 1_000;

/**
 * Owns the life of every request: its response emits `'close'` once, when the answer is sent or the connection ends.
 * That event alone releases what a request holds: its share, its body, its place in the hash queue, its log line.
 * From `sayClose` on, answers say `Connection: close`, which moves the client to another process. In a pipeline only
 * the answer to the latest request says so: Node ends the connection after it, and would answer no later one
 * (RFC 9112, section 9.3.2).
 */
export class OpenRequests {
  /** What is not answered yet on each connection, in the order in which it came. */
  private readonly pipelines = new Map<Socket, Response[]>();
  /** The latest on each connection, while some of its body is still to come. */
  private readonly arriving = new WeakMap<Socket, IncomingMessage>();
  private readonly connectedAt = new WeakMap<Socket, number>();
  private readonly waiting = new WeakMap<Response, () => void>();
  /** Connections that have brought as many at once as are answered. */
  private readonly full = new WeakSet<Socket>();
  private measuring: NodeJS.Timeout | undefined;
  private closing = false;
  private readonly limit: ConnectionLimit;
  count = 0;
  /** Connections since the start. */
  accepted = 0;

  constructor(
    mostConnections: number,
    private readonly unreadLimit = UNREAD_BYTES,
  ) {
    this.limit = new ConnectionLimit(mostConnections);
  }

  addConnection(socket: Socket): void {
    if (!this.pipelines.has(socket)) {
      const pipeline: Response[] = [];
      this.pipelines.set(socket, pipeline);
      this.accepted += 1;
      this.connectedAt.set(socket, performance.now());
      this.measuring ??= setInterval(() => this.boundUnread(), MEASURE_EVERY_MS).unref();
      socket.once('close', () => {
        this.pipelines.get(socket)?.forEach(endWaiting);
        this.pipelines.delete(socket);
        if (this.pipelines.size === 0) {
          clearInterval(this.measuring);
          this.measuring = undefined;
        }
      });
      this.limit.add(socket, () => this.pipelines.has(socket) && !pipeline.some(isWhole));
    }
  }

  /** The connection speaks another protocol from now on; whoever speaks it ends it. */
  leave(socket: Socket): void {
    this.pipelines.delete(socket);
  }

  /** Whether a connection is open that speaks HTTP. */
  get hasConnections(): boolean {
    return this.pipelines.size > 0;
  }

  add(req: IncomingMessage, res: Response): void {
    const { socket } = req;
    const pipeline = this.pipelines.get(socket)!;
    this.count += 1;
    this.arriving.set(socket, req);
    // A connection that stays open would keep its last request, with whatever was hung on it.
    req.once('close', () => this.arriving.get(socket) === req && this.arriving.delete(socket));
    if (this.closing) {
      keepOpen(pipeline.at(-1));
      close(res);
    }
    pipeline.push(res);
    if (pipeline.length === MOST_IN_A_PIPELINE) {
      close(res);
      this.full.add(socket);
    }
    res.once('close', () => {
      this.count -= 1;
      pipeline.shift();
      this.beginWaiting(res);
      this.beginWaiting(pipeline[0]);
    });
  }

  /**
   * Begins a request when the system has taken all answers before it on its connection (RFC 9112, 9.3.2). So for a
   * client that reads nothing one answer is made, however many requests it sends.
   */
  begin(res: Response, begin: () => void): void {
    if (this.pipelines.get(res.req.socket)?.[0] === res) {
      begin();
    } else {
      this.waiting.set(res, begin);
    }
  }

  private beginWaiting(res: Response | undefined): void {
    const begin = res && this.waiting.get(res);
    if (begin) {
      this.waiting.delete(res);
      begin();
    }
  }

  /** The last of the pipeline that is not answered yet. */
  latestOn(socket: Socket): Response | undefined {
    return this.pipelines.get(socket)?.at(-1);
  }

  /** Whether the body of an answered request is still arriving; a fault in it needs no answer. */
  hasAnswered(socket: Socket): boolean {
    return !this.latestOn(socket) && this.arriving.get(socket)?.complete === false;
  }

  /** Whether no further request on the connection is answered; none may be carried out then (RFC 9112, 9.6). */
  isEnding(socket: Socket): boolean {
    const last = this.latestOn(socket);
    return (
      !socket.writable ||
      this.full.has(socket) ||
      (last?.headersSent === true && last.getHeader('connection') === 'close')
    );
  }

  /** From now on, on every connection. */
  sayClose(): void {
    this.closing = true;
    this.pipelines.forEach((pipeline) => close(pipeline.at(-1)));
  }

  /** While unread answers take too much memory, cuts off the client with most of it, of the network with most of it. */
  boundUnread(): void {
    const unread = [...this.pipelines.keys()].filter((socket) => socket.writableLength > 0 && !socket.destroyed);
    let total = unread.reduce((sum, { writableLength }) => sum + writableLength, 0);
    while (total > this.unreadLimit) {
      const ofNetworks = new Map<string, number>();
      for (const socket of unread) {
        const network = this.networkOn(socket);
        ofNetworks.set(network, (ofNetworks.get(network) ?? 0) + socket.writableLength);
      }
      const ofNetwork = (socket: Socket) => ofNetworks.get(this.networkOn(socket))!;
      unread.sort((one, other) => ofNetwork(one) - ofNetwork(other) || one.writableLength - other.writableLength);
      const most = unread.pop()!;
      total -= most.writableLength;
      most.destroy();
    }
  }

  /** Bytes that are not HTTP are answered on the socket, without a request. */
  private networkOn(socket: Socket): string {
    const res = this.pipelines.get(socket)?.[0];
    return res ? networkOf(res.req as Request) : networkOfConnection(socket);
  }

  /** Closes connections on which nothing was ever sent; Node does not count them as idle. */
  closeSilent(): void {
    const isSilent = (socket: Socket) =>
      socket.bytesRead === 0 && this.connectedAt.get(socket)! + SILENT_MS < performance.now();
    this.pipelines.forEach((_, socket) => isSilent(socket) && socket.destroy());
  }
}

const isWhole = ({ req }: Response) => req.complete;

/**
 * Node assigns the connection to one response at a time, and only that one emits `'close'` with it.
 * A response that still waits is assigned a closed connection, so that it emits `'close'` as well.
 */
function endWaiting(res: Response): void {
  if (!res.socket) {
    res.assignSocket(new Socket().destroy()); // private: ServerResponse.assignSocket
  }
}

function close(res: ServerResponse | undefined): void {
  if (res && !res.headersSent) {
    res.setHeader('Connection', 'close');
  }
}

function keepOpen(res: ServerResponse | undefined): void {
  if (res && !res.headersSent) {
    res.removeHeader('Connection');
  }
}

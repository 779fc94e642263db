import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request } from 'express';
import { networkOf, networkOfConnection } from '../http';
import { Places } from './places';

type Response = ServerResponse<IncomingMessage>;

/** All answers that clients have yet to read may take so much memory: those of 64 clients of the largest pages. */
const UNREAD_BYTES = 128 * 1_048_576;
const MEASURE_EVERY_MS = 250;
/** A client that has just connected is about to send. */
const SILENT_MS = 1_000;

/**
 * Owns the life of every request: its response emits `'close'` once, when the answer is sent or the connection ends.
 * All that a request holds (its place, its body, its turns at hashing, its log line) hangs on that alone.
 * Before the end, answers say `Connection: close`, which moves the client to another process; but only the answer to
 * the latest request of a pipeline: Node ends the connection there, and later ones would never be answered
 * (RFC 9112, section 9.3.2).
 */
export class OpenRequests {
  /** What is not answered yet on each connection, in the order in which it came. */
  private readonly pipelines = new Map<Socket, Response[]>();
  /** The latest on each connection, while some of its body is still to come. */
  private readonly arriving = new WeakMap<Socket, IncomingMessage>();
  private readonly connectedAt = new WeakMap<Socket, number>();
  private readonly waiting = new WeakMap<Response, () => void>();
  private measuring: NodeJS.Timeout | undefined;
  private closing = false;
  private readonly places: Places;
  count = 0;
  /** Connections since the start. */
  accepted = 0;

  constructor(
    mostConnections: number,
    private readonly unreadLimit = UNREAD_BYTES,
  ) {
    this.places = new Places(mostConnections);
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
      this.places.take(socket, () => this.pipelines.has(socket) && !pipeline.some(isWhole));
    }
  }

  /** From now on it speaks another protocol, and whoever speaks it ends it. */
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
    res.once('close', () => {
      this.count -= 1;
      pipeline.shift();
      this.beginWaiting(res);
      this.beginWaiting(pipeline[0]);
    });
  }

  /**
   * Begins a request when all answers before it on its connection have been handed to the system (RFC 9112, 9.3.2):
   * whoever reads no answers has one made, however many requests he sends.
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

  /** Whether the body of an answered request is still arriving, so that what goes wrong with it needs no answer. */
  hasAnswered(socket: Socket): boolean {
    return !this.latestOn(socket) && this.arriving.get(socket)?.complete === false;
  }

  /** Whether nothing that follows on a connection is answered any more, so that it must not be done (RFC 9112, 9.6). */
  isEnding(socket: Socket): boolean {
    const last = this.latestOn(socket);
    return !socket.writable || (last?.headersSent === true && last.getHeader('connection') === 'close');
  }

  /** From now on, on every connection. */
  sayClose(): void {
    this.closing = true;
    this.pipelines.forEach((pipeline) => close(pipeline.at(-1)));
  }

  /** While unread answers take too much memory, cuts off whoever has most, of the network that has most. */
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

  /** What is no HTTP is answered on the socket, without a request. */
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
 * Node gives the connection to one response at a time, and tells only that one when it closes.
 * A response that still waits gets one that is closed, and ends with it, as everything that listens to it expects.
 */
function endWaiting(res: Response): void {
  if (!res.socket) {
    res.assignSocket(new Socket().destroy());
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

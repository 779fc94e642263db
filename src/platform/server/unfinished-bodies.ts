import { IncomingMessage } from 'node:http';

/** Bytes that a chunk takes beside its own, as measured: a Buffer, its store, an entry in a list. */
const CHUNK_BYTES = 640;

interface Body {
  bytes: number;
  refused: boolean;
  /** Answers the client that its body is refused. */
  refuse: () => void;
}

/**
 * Bounds the memory of all bodies that are still arriving, together. When they exceed it, the largest is refused:
 * whoever sends many large bodies slowly loses his own, and nobody loses a small one.
 */
export class UnfinishedBodies {
  private bytes = 0;
  private readonly bodies = new Set<Body>();

  constructor(private readonly limit: number) {}

  /**
   * Counts a body until it is whole or refused, or until the returned function is called. `mayEnd` decides whether the
   * whole body is taken. Where it is not, and after `refuse`, nothing more of the body reaches its reader. `isKept`:
   * whether its reader keeps it in memory. To be called before the first chunk arrives.
   */
  watch(req: IncomingMessage, refuse: () => void, mayEnd: () => boolean, isKept: boolean): () => void {
    const body: Body = { bytes: 0, refused: false, refuse };
    if (isKept) {
      this.bodies.add(body);
    }
    // On the request itself: Express puts its own prototype under it.
    // private: IncomingMessage.push
    req.push = (chunk: Buffer | null): boolean => {
      if (chunk === null ? this.ends(body, mayEnd) : this.arrives(body, chunk.length)) {
        return IncomingMessage.prototype.push.call(req, chunk);
      }
      return true;
    };
    return () => this.forget(body);
  }

  private arrives(body: Body, length: number): boolean {
    if (this.bodies.has(body)) {
      body.bytes += length + CHUNK_BYTES;
      this.bytes += length + CHUNK_BYTES;
      while (this.bytes > this.limit) {
        this.refuse(this.largest());
      }
    }
    return !body.refused;
  }

  private ends(body: Body, mayEnd: () => boolean): boolean {
    if (!body.refused) {
      this.forget(body);
      body.refused = !mayEnd();
    }
    return !body.refused;
  }

  private refuse(body: Body): void {
    body.refused = true;
    this.forget(body);
    body.refuse();
  }

  private forget(body: Body): void {
    if (this.bodies.delete(body)) {
      this.bytes -= body.bytes;
    }
  }

  private largest(): Body {
    return [...this.bodies].reduce((one, other) => (other.bytes > one.bytes ? other : one));
  }
}

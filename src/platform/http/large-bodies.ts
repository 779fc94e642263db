import type { Request } from 'express';
import { Semaphore } from '../scheduling';
import { networkOf } from './client-address';

/** In bytes, decoded. To read and check a larger body takes longer than most requests. */
export const LARGE = 16_384;

/**
 * Shares the event loop and the memory between large bodies and everybody else. One large body at a time is decoded,
 * read and checked; then the loop is left to the others for as long as that took. Networks take turns, so whoever sends
 * many large bodies waits for itself alone.
 */
export class LargeBodies {
  private readonly semaphore = new Semaphore(() => 1);

  /** Fulfils when the body may be decoded. Decode, read and check it before the event loop runs on. */
  async wait(req: Request): Promise<void> {
    await this.semaphore.acquire(networkOf(req));
    const began = performance.now();
    setImmediate(() => setTimeout(() => this.semaphore.release(), performance.now() - began));
  }
}

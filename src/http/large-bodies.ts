import type { Request } from 'express';
import { Rounds } from '../common/rounds';
import { networkOf } from './client-address';

/** In bytes. To read and check this much takes about as long as any request. */
const LARGE = 16_384;

type Begin = () => void;

/**
 * Shares the event loop between large bodies and everybody else: one large body at a time is read and checked, and then
 * the loop belongs to the others for as long as that took. Turns go round networks, so whoever sends many of them waits
 * for itself alone.
 */
export class LargeBodies {
  private readonly waiting = new Rounds<Begin>();
  private isBusy = false;

  /** Fulfils when a body of so many bytes may be worked on; that is done before the event loop turns. */
  async turn(bytes: number, req: Request): Promise<void> {
    if (bytes < LARGE) {
      return;
    }
    if (this.isBusy) {
      await new Promise<void>((begin) => this.waiting.push(networkOf(req), begin));
    }
    this.isBusy = true;
    const began = performance.now();
    setImmediate(() => setTimeout(() => this.next(), performance.now() - began));
  }

  private next(): void {
    this.isBusy = false;
    this.waiting.shift()?.();
  }
}

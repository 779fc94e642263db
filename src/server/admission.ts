import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { hasBody } from '../http';

const REPORT_EVERY_MS = 1_000;

/**
 * Decides which requests are taken on. Each operation, told by its path, works on at most `limit` requests at a time,
 * so that what is taken on is answered soon, and one operation under load does not hold up the others (a bulkhead).
 * A request counts from the end of its body on: a client that sends slowly takes nobody's place.
 */
export class Admission {
  /** Requests refused since the start. */
  refused = 0;
  private readonly logger = new Logger(Admission.name);
  private readonly working = new Map<string, number>();
  private unreported = 0;

  constructor(private readonly limit: number) {}

  /** Whether to take the request on; if so, it counts until it is answered. */
  admits(req: IncomingMessage, res: ServerResponse): boolean {
    const path = req.url!.split('?', 1)[0]!;
    if ((this.working.get(path) ?? 0) >= this.limit) {
      this.countRefusal();
      return false;
    }
    if (hasBody(req)) {
      req.once('end', () => !res.writableEnded && this.begin(path, res));
    } else {
      this.begin(path, res);
    }
    return true;
  }

  private begin(path: string, res: ServerResponse): void {
    this.working.set(path, (this.working.get(path) ?? 0) + 1);
    res.once('close', () => {
      const rest = this.working.get(path)! - 1;
      if (rest === 0) {
        this.working.delete(path);
      } else {
        this.working.set(path, rest);
      }
    });
  }

  /** A log line for each refusal would cost more than the refusal itself. */
  private countRefusal(): void {
    this.refused += 1;
    this.unreported += 1;
    if (this.unreported === 1) {
      setTimeout(() => {
        this.logger.warn(`Overloaded: ${this.unreported} requests refused`);
        this.unreported = 0;
      }, REPORT_EVERY_MS).unref();
    }
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { Request } from 'express';
import { FairShareLimiter } from '../scheduling';
import type { Config } from '../config';
import { hasBody, networkOf, type Operation, refuseUnfinished } from '../http';
import { UnfinishedBodies } from './unfinished-bodies';

const REPORT_EVERY_MS = 1_000;

/** All bodies that are still arriving may take so much memory, or what two of the largest take. */
const UNFINISHED_BODIES_BYTES = 64 * 1_048_576;

/** What a request counts against, and for whom. */
interface Place {
  limiter: FairShareLimiter;
  network: string;
}

/**
 * Decides which requests are taken on. Each operation works on at most OPERATION_LIMIT requests of one network at a
 * time, and twice as many of all, so that what is taken on is answered soon, one operation under load does not hold up
 * the others (a bulkhead), and nobody fills an operation for everybody else.
 * A request counts from the end of its body on, where it is asked once more whether there is room: a client that sends
 * slowly takes nobody's place. What belongs to no operation is answered at once, and needs no limit.
 */
export class Admission {
  /** Requests refused since the start. */
  refused = 0;
  private readonly logger = new Logger(Admission.name);
  private readonly limit: number;
  private readonly unfinished: UnfinishedBodies;
  private readonly working = new Map<Operation, FairShareLimiter>();
  private unreported = 0;

  constructor({ operationLimit, bodyLimit }: Config) {
    this.limit = operationLimit;
    this.unfinished = new UnfinishedBodies(Math.max(UNFINISHED_BODIES_BYTES, 2 * bodyLimit));
  }

  /** Whether to take the request on; if so, it counts until it is answered. */
  admits(req: IncomingMessage, res: ServerResponse): boolean {
    const operation = req.operation?.limited === true ? req.operation : undefined;
    const place = operation && { limiter: this.limiterOf(operation), network: networkOf(req as Request) };
    if (!hasBody(req)) {
      return !place || this.begin(place, res);
    }
    if (place && !place.limiter.mayTake(place.network)) {
      return this.countRefusal();
    }
    this.watchBody(req, res, place);
    return true;
  }

  private watchBody(req: IncomingMessage, res: ServerResponse, place: Place | undefined): void {
    const refuse = () => {
      this.countRefusal();
      refuseUnfinished(req, res);
    };
    const mayEnd = () => {
      if (place === undefined || res.writableEnded || res.closed) {
        return true;
      }
      const room = this.begin(place, res);
      if (!room) {
        refuseUnfinished(req, res);
      }
      return room;
    };
    // Who names a limit of its own bounds what it keeps by itself.
    const isKept = req.operation?.bodyLimit === undefined;
    res.once('close', this.unfinished.watch(req, refuse, mayEnd, isKept));
  }

  private begin({ limiter, network }: Place, res: ServerResponse): boolean {
    if (!limiter.take(network)) {
      return this.countRefusal();
    }
    res.once('close', () => limiter.release(network));
    return true;
  }

  private limiterOf(operation: Operation): FairShareLimiter {
    let limiter = this.working.get(operation);
    if (!limiter) {
      limiter = new FairShareLimiter(2 * this.limit);
      this.working.set(operation, limiter);
    }
    return limiter;
  }

  /** A log line for each refusal would cost more than the refusal itself. */
  private countRefusal(): false {
    this.refused += 1;
    this.unreported += 1;
    if (this.unreported === 1) {
      setTimeout(() => {
        this.logger.warn(`Overloaded: ${this.unreported} requests refused`);
        this.unreported = 0;
      }, REPORT_EVERY_MS).unref();
    }
    return false;
  }
}

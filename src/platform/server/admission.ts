import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import type { Request } from 'express';
import { FairShareLimiter } from '../scheduling';
import type { Config } from '../config';
import { hasBody, networkOf, type Operation, refuseUnfinished } from '../http';
import { UnfinishedBodies } from './unfinished-bodies';

const REPORT_EVERY_MS = 1_000;

/** Bytes that all unfinished bodies may take together; or two of the largest size, where that is more. */
const UNFINISHED_BODIES_BYTES = 64 * 1_048_576;

/** What a request counts against, and for whom. */
interface FairShare {
  limiter: FairShareLimiter;
  network: string;
}

/**
 * Decides which requests are admitted. An operation works on at most OPERATION_LIMIT requests of one network at a time,
 * and on twice as many in all. So what is admitted is answered soon, an operation under load does not hold up others (a
 * bulkhead), and no network fills an operation.
 * A request counts from the end of its body on, and is checked again then: a client that sends slowly takes nobody's
 * room. A request of no operation is answered at once, without a limit.
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

  /** Whether the request is admitted; if so, it counts until it is answered. */
  admits(req: IncomingMessage, res: ServerResponse): boolean {
    const operation = req.operation?.limited === true ? req.operation : undefined;
    const share = operation && { limiter: this.limiterOf(operation), network: networkOf(req as Request) };
    if (!hasBody(req)) {
      return !share || this.begin(share, res);
    }
    if (share && !share.limiter.mayTake(share.network)) {
      return this.countRefusal();
    }
    this.watchBody(req, res, share);
    return true;
  }

  private watchBody(req: IncomingMessage, res: ServerResponse, share: FairShare | undefined): void {
    const refuse = () => {
      this.countRefusal();
      refuseUnfinished(req, res);
    };
    const mayEnd = () => {
      if (share === undefined || res.writableEnded || res.closed) {
        return true;
      }
      const room = this.begin(share, res);
      if (!room) {
        refuseUnfinished(req, res);
      }
      return room;
    };
    // An operation with a limit of its own bounds by itself what it keeps.
    const isKept = req.operation?.bodyLimit === undefined;
    res.once('close', this.unfinished.watch(req, refuse, mayEnd, isKept));
  }

  private begin({ limiter, network }: FairShare, res: ServerResponse): boolean {
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
        this.logger.warn(`Overloaded. Refused requests: ${this.unreported}`);
        this.unreported = 0;
      }, REPORT_EVERY_MS).unref();
    }
    return false;
  }
}

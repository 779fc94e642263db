import { createHash, createHmac } from 'node:crypto';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { nameOf, type Caller } from '../auth';
import { writeJson } from '../common/json';
import { idempotencyKeyOf, REPLAYED_HEADER } from '../http';
import { Repeats } from './repeats';

/**
 * Gives a request that is repeated under its Idempotency-Key the answer of the first one. It stands behind the guards.
 * What fails is not kept: nothing was made, and the client may try again.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(private readonly repeats: Repeats) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const req = http.getRequest<Request & { user?: Caller }>();
    const key = idempotencyKeyOf(req.headers);
    return key === undefined ? next.handle() : from(this.answer(key, req, http.getResponse<Response>(), next));
  }

  private async answer(key: string, req: Request & { user?: Caller }, res: Response, next: CallHandler) {
    const { method, template } = req.operation!;
    const owner = req.user ? nameOf(req.user) : '';
    const request = {
      key: createHash('sha256')
        .update(JSON.stringify([method, template, owner, key]))
        .digest('hex'),
      fingerprint: fingerprintOf(req.body, key),
    };
    const { value, replayed } = await this.repeats.attempt(request, () => firstValueFrom<unknown>(next.handle()));
    if (replayed) {
      res.set(REPLAYED_HEADER, 'true');
    }
    return value;
  }
}

/**
 * Tells two bodies apart without keeping either. Passwords are left out: a quick hash of one would let whoever has the
 * database guess it. Keyed with the client's key, so that other members cannot be guessed either.
 */
export function fingerprintOf(body: unknown, key: string): string {
  return createHmac('sha256', key)
    .update(writeJson(withoutSecrets(body)))
    .digest('hex');
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutSecrets);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'password')
      .map(([name, member]) => [name, withoutSecrets(member)]),
  );
}

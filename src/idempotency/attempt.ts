import { createHash, createHmac } from 'node:crypto';
import type { Request, Response } from 'express';
import { nameOf, type Caller } from '../auth';
import { writeJson } from '../common/json';
import { ByIdempotencyKey, REPLAYED_HEADER } from '../http';

/** A request with an Idempotency-Key, the first one or a repeat. Both texts are hashes. */
export interface Attempt {
  key: string;
  fingerprint: string;
  /** Says in the answer that it was given before. */
  tellReplayed(): void;
}

/**
 * A handler's parameter: the Attempt; undefined where the request has no Idempotency-Key. The handler hands it to its
 * service, and that to Repeats.once.
 */
export const CurrentAttempt = () => ByIdempotencyKey(attemptOf);

function attemptOf(key: string, req: Request, res: Response): Attempt {
  const { method, template } = req.operation!;
  const { user } = req as Request & { user?: Caller };
  const owner = user ? nameOf(user) : '';
  return {
    key: createHash('sha256')
      .update(JSON.stringify([method, template, owner, key]))
      .digest('hex'),
    fingerprint: fingerprintOf(req.body, key),
    tellReplayed: () => void res.set(REPLAYED_HEADER, 'true'),
  };
}

/**
 * Tells two bodies apart without keeping either. Passwords are left out: a quick hash of one would let whoever has the
 * database guess it. Keyed with the client's key, so that other members cannot be guessed either.
 */
function fingerprintOf(body: unknown, key: string): string {
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

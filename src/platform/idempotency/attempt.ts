import { createHmac } from 'node:crypto';
import type { Request, Response } from 'express';
import { writeJson } from '../common/json';
import { sha256 } from '../common/sha256';
import { ByIdempotencyKey, callerOf, nameOf, networkOf, REPLAYED_HEADER } from '../http';

/** A request with an Idempotency-Key, the first one or a repeat. */
export interface Attempt {
  /** A hash of the operation, the caller and the client's key. */
  key: string;
  /** A hash of the network that it comes from. */
  network: string;
  /** A hash of what is asked for, and of the parameters of the path. */
  fingerprintOf(request: unknown): string;
  /** Has the answer say that it was given before. */
  markReplayed: () => void;
}

/**
 * A handler's parameter: the Attempt; undefined where the request has no Idempotency-Key. The handler hands it to its
 * service, and that to IdempotencyStore.once.
 */
export const CurrentAttempt = () => ByIdempotencyKey(attemptOf);

function attemptOf(key: string, req: Request, res: Response): Attempt {
  const { method, template } = req.operation!;
  const caller = callerOf(req);
  const owner = caller ? nameOf(caller) : '';
  return {
    key: sha256(JSON.stringify([method, template, owner, key])),
    network: sha256(networkOf(req)),
    fingerprintOf: (request) => fingerprintOf([req.params, request], key),
    markReplayed: () => void res.set(REPLAYED_HEADER, 'true'),
  };
}

/**
 * A hash of the values of a request, so that another request is known without keeping either. Passwords are left out:
 * whoever has the database could guess one from a quick hash. The client's key is the key of the hash, so that other
 * members cannot be guessed either.
 */
function fingerprintOf(request: unknown, key: string): string {
  return createHmac('sha256', key)
    .update(writeJson(valuesOf(request)))
    .digest('hex');
}

/** Members in one order, without those that are as good as absent: null in an object of a DTO class. */
function valuesOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(valuesOf);
  }
  if (typeof value !== 'object' || value === null || value instanceof Date) {
    return value;
  }
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
  const members = Object.entries(value)
    .filter(([name, member]) => name !== 'password' && (isPlain || member !== null))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, valuesOf(member)]));
}

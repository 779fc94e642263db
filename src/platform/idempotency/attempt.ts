import { createHmac } from 'node:crypto';
import type { Request, Response } from 'express';
import { writeJson } from '../common/json';
import { ValidationFailed } from '../common/problem';
import { sha256 } from '../common/sha256';
import { callerOf, nameOf, networkOf, REPLAYED_HEADER, requestParameter } from '../http';

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
 * service, and that to IdempotencyStore.once. An operation whose handler has it may be repeated, and the OpenAPI
 * document says so.
 */
export const CurrentAttempt = requestParameter('idempotency key', attemptOf);

function attemptOf(req: Request, res: Response): Attempt | undefined {
  const key = idempotencyKeyOf(req);
  if (key === undefined) {
    return undefined;
  }
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
 * The key of a request (draft-ietf-httpapi-idempotency-key-header): one line of printable ASCII, in quotes or bare,
 * which mean the same. Undefined where there is none. Throws ValidationFailed.
 */
function idempotencyKeyOf({ headersDistinct }: Request): string | undefined {
  const [text, ...more] = headersDistinct['idempotency-key'] ?? [];
  if (text === undefined) {
    return undefined;
  }
  const key = /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
  if (more.length > 0 || !/^[!#-[\]-~]([ !#-[\]-~]*[!#-[\]-~])?$/.test(key) || key.length > 255) {
    throw new ValidationFailed([
      {
        pointer: 'Idempotency-Key',
        detail:
          'must be one line of 1 to 255 printable ASCII characters, ' +
          'without quotes or backslashes in them or spaces around',
      },
    ]);
  }
  return key;
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

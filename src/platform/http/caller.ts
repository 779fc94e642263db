import type { Request } from 'express';
import type { Int64 } from '../common/json';
import { requestParameter } from './parameters';

/** Who sent a request with a valid token: one of our users, or somebody whom an issuer elsewhere knows. */
export type Caller = { user: Int64 } | { issuer: string; subject: string };

/** The caller in one word, for the log. */
export const nameOf = (caller: Caller): string =>
  'user' in caller ? String(caller.user) : `${caller.issuer} ${caller.subject}`;

/** Undefined where the guard has asked for no token, or lets in whoever has none. */
export const callerOf = (req: Request): Caller | undefined => req.user as Caller | undefined;

/** A handler's parameter: the Caller; undefined where the operation stands open and no token was asked for. */
export const CurrentCaller = requestParameter('other', callerOf);

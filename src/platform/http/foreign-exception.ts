import { STATUS_CODES } from 'node:http';
import { HttpException, NotFoundException } from '@nestjs/common';
import { parseJson, writeJson } from '../common/json';
import {
  BAD_REQUEST,
  BROKEN_ESCAPE,
  INTERNAL_ERROR,
  NOT_FOUND,
  NOTHING_HERE,
  PRECONDITION_FAILED,
  Problem,
  RANGE_NOT_SATISFIABLE,
  type ProblemKind,
} from '../common/problem';

/** Members that Nest or a problem fills in: those that an exception was given under these names are dropped. */
const TAKEN = /^(type|title|status|detail|instance|requestId|errors|statusCode|error|message)$/;

/**
 * Makes a Problem of any other error. An exception of Nest keeps its status, and so does an http-error of Express and
 * its middleware (RFC 9457, 4.2.1); everything else is a 500. The client sees what the exception was given to show, a
 * message only below 500.
 */
export function foreignProblem(error: unknown): Problem {
  try {
    if (error instanceof HttpException) {
      return error instanceof NothingHere ? nothingHere : problem(error.getStatus(), error.getResponse());
    }
    if (isHttpError(error)) {
      const { statusCode, expose, message } = error;
      const said = expose === false || message === STATUS_CODES[statusCode] ? undefined : message;
      const ofFile = said === undefined && OF_FILES.get(statusCode);
      return ofFile ? new Problem(...ofFile) : problem(statusCode, said);
    }
    // Express's, of a path.
    if (error instanceof URIError && (error as Error & { status?: unknown }).status === 400) {
      return new Problem(BAD_REQUEST, BROKEN_ESCAPE);
    }
  } catch {
    // An error of which not even the members can be read.
  }
  return new Problem(INTERNAL_ERROR, FAILED);
}

/** An unknown path, as Nest raises it: filters of modules may know it. */
export class NothingHere extends NotFoundException {
  constructor() {
    super(NOTHING_HERE);
  }
}
const nothingHere = new Problem(NOT_FOUND, NOTHING_HERE);

const FAILED = 'The service failed; the request id finds the cause in its log.';

/** Of Express's `sendFile`, which has set Content-Range already, and of an address. */
const OF_FILES = new Map<number, [ProblemKind, string]>([
  [404, [NOT_FOUND, NOTHING_HERE]],
  [412, [PRECONDITION_FAILED, 'The file is not in the state that the request asks for.']],
  [416, [RANGE_NOT_SATISFIABLE, 'The file is shorter than the range; Content-Range says how long it is.']],
]);

/** As Nest's own filter knows an http-error: an axios error, say, has a status too, which is not ours. */
function isHttpError(error: unknown): error is { statusCode: number; message: string; expose?: boolean } {
  const { statusCode, status, message, expose } = (error ?? {}) as Record<string, unknown>;
  const isOne = error instanceof Error ? typeof expose === 'boolean' && status === statusCode : message !== '';
  return isOne && typeof message === 'string' && (statusCode as number) >= 400;
}

function problem(status: number, response: unknown): Problem {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return new Problem(INTERNAL_ERROR, FAILED);
  }
  const title = STATUS_CODES[status] ?? 'Error';
  const { message, ...given } = plain(response);
  const members = Object.fromEntries(Object.entries(given).filter(([name]) => !TAKEN.test(name)));
  const isList = typeof message === 'object' && message !== null;
  const detail = status >= 500 ? FAILED : isList ? title : messageOf(message) || title;
  if (isList && status < 500) {
    Object.assign(members, { errors: message });
  }
  return new Problem({ type: 'about:blank', title, status, meaning: '' }, detail, { members });
}

const messageOf = (said: unknown) => (typeof said === 'string' || typeof said === 'number' ? String(said) : '');

/** What JSON shows of it; where JSON cannot (circular, a getter that throws), its message. Nothing of an Error. */
function plain(response: unknown): { message?: unknown } {
  if (typeof response !== 'object' || response === null || response instanceof Error) {
    return { message: response instanceof Error ? undefined : response };
  }
  try {
    const shown = parseJson(writeJson(response));
    return Array.isArray(shown) ? { message: shown } : { ...(shown as object) };
  } catch {
    const { message } = response as { message?: unknown };
    return { message: typeof message === 'string' ? message : undefined };
  }
}

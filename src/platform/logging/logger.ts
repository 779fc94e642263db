import type { LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger } from 'pino';
import type { FinishedRequest } from '../http';
import type { Config } from '../config';
import { LogDeduplicator } from './log-deduplicator';
import { standardOutput } from './standard-output';

/** Contexts under which Nest logs its wiring at every start. */
const WIRING = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

type Level = 'info' | 'warn' | 'debug' | 'error';

/** Nest's log and one line a request: JSON, or easy to read in a terminal. */
export class AppLogger implements LoggerService {
  private readonly pino: Logger;
  private readonly lines = new LogDeduplicator();

  constructor(config: Pick<Config, 'logLevel' | 'logFormat'>, destination: DestinationStream = standardOutput) {
    this.pino = pino(
      {
        level: config.logLevel,
        base: undefined,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (level) => ({ level }) },
        serializers: { err: describe },
      },
      config.logFormat === 'pretty' ? readable(destination) : destination,
    );
  }

  log = (message: unknown, context = '') => this.write(WIRING.has(context) ? 'debug' : 'info', message, { context });
  warn = (message: unknown, context?: string) => this.write('warn', message, { context });
  debug = (message: unknown, context?: string) => this.write('debug', message, { context });
  verbose = this.debug;
  /** Nest passes a stack, if it has one, between the message and the context. */
  error = (message: unknown, ...rest: string[]) => {
    const context = rest.pop();
    this.write('error', message, { context, stack: rest[0] });
  };
  fatal = this.error;

  /** Health checks come every few seconds and say little. */
  request = ({ id, aborted, refusal, ...rest }: FinishedRequest): void => {
    const level = rest.route?.startsWith('/health/') ? 'debug' : 'info';
    const write = (repeated?: number) =>
      this.pino[level]({ requestId: id, ...rest, ...refusal, aborted: aborted || undefined, repeated }, 'request');
    if (rest.status !== null && rest.status >= 500) {
      this.lines.log(`request ${rest.method} ${rest.route} ${rest.status}`, write);
    } else {
      write();
    }
  };

  private write(level: Level, message: unknown, members: object): void {
    const [text, all] =
      typeof message === 'string'
        ? [message, members]
        : [undefined, { ...members, ...(message instanceof Error ? { err: message } : (message as object)) }];
    if (level !== 'error' && level !== 'warn') {
      this.pino[level](all, text);
      return;
    }
    const said = text ?? summary((all as { err?: unknown }).err);
    this.lines.log(`${level} ${said}`, (repeated) =>
      repeated === undefined
        ? this.pino[level](all, text)
        : this.pino[level]({ ...members, stack: undefined, repeated }, said),
    );
  }
}

function readable(destination: DestinationStream): DestinationStream {
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- only a terminal needs it
  const { prettyFactory } = require('pino-pretty') as typeof import('pino-pretty');
  const pretty = prettyFactory({ colorize: process.stdout.isTTY, singleLine: true, ignore: 'context' });
  return { write: (line) => destination.write(pretty(line)) };
}

/**
 * An error with its stack and its causes, and no other member: errors of TypeORM carry the parameters of the query,
 * password hashes among them.
 */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) {
    return { type: typeof error };
  }
  const { name, message, stack, code, cause } = error as Error & { code?: unknown };
  return { type: name, message, code, stack, cause: cause === undefined ? undefined : describe(cause) };
}

/** An error and its causes in one line. */
function summary(error: unknown): string {
  if (!(error instanceof Error)) {
    return typeof error;
  }
  const { name, message, cause } = error;
  return `${name}: ${message}${cause === undefined ? '' : `; ${summary(cause)}`}`;
}

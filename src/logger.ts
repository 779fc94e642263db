import type { LoggerService } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import pino, { type Logger } from 'pino';
import type { Config } from './config';

/** Nest's log, one JSON line an event. */
export class AppLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(level: Config['logLevel']) {
    this.pino = pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime });
  }

  log = (message: unknown, context?: string) => this.write('info', message, context);
  warn = (message: unknown, context?: string) => this.write('warn', message, context);
  debug = (message: unknown, context?: string) => this.write('debug', message, context);
  verbose = this.debug;
  error = (message: unknown, ...rest: unknown[]) => this.write('error', message, rest.at(-1) as string | undefined);
  fatal = this.error;

  /** One line a request: the route, never the URL, whose query may hold a password. */
  request = (req: Request, res: Response, next: NextFunction): void => {
    const start = process.hrtime.bigint();
    res.once('close', () => {
      const ms = Number(process.hrtime.bigint() - start) / 1e6;
      const route = (req.route as { path: string } | undefined)?.path ?? null;
      this.pino.info({ requestId: req.id, method: req.method, route, status: res.statusCode, ms });
    });
    next();
  };

  private write(level: 'info' | 'warn' | 'debug' | 'error', message: unknown, context?: string): void {
    if (typeof message === 'string') {
      this.pino[level]({ context }, message);
    } else {
      this.pino[level]({ context, ...(message as object) });
    }
  }
}

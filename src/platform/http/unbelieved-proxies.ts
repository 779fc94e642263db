import { Logger } from '@nestjs/common';
import type { Request } from 'express';

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/**
 * Says once that a proxy seems to stand in front which nobody said to believe: all its clients are counted as one then,
 * or a client makes itself up what it likes.
 */
export function warnOfProxies(trustedProxies: number): (req: Request) => void {
  let done = trustedProxies > 0;
  return ({ headers }) => {
    const header = done ? undefined : FORWARDED.find((name) => headers[name] !== undefined);
    if (header !== undefined) {
      done = true;
      new Logger('HTTP').warn(
        `A request came with ${header}, which is not believed: if a proxy of yours sets it, set TRUSTED_PROXIES to how many there are`,
      );
    }
  };
}

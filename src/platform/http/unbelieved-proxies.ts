import { Logger } from '@nestjs/common';
import type { Request } from 'express';

const FORWARDED = ['x-forwarded-for', 'forwarded', 'x-real-ip'];

/**
 * Warns once where a proxy seems to stand in front that the settings do not trust. All its clients count as one then,
 * or a client has made the header up.
 */
export function warnOfProxies(trustedProxies: number): (req: Request) => void {
  let done = trustedProxies > 0;
  return ({ headers }) => {
    const header = done ? undefined : FORWARDED.find((name) => headers[name] !== undefined);
    if (header !== undefined) {
      done = true;
      new Logger('HTTP').warn(
        `A request came with ${header}, which is not believed: ` +
          'if a proxy of yours sets it, set TRUSTED_PROXIES to how many there are',
      );
    }
  };
}

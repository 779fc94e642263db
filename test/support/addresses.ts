import type { INestApplicationContext } from '@nestjs/common';
import { Operations } from '../../src/platform/http';

/** Every address that the service answers: those of its operations, with sample values, and the files of its page. */
export async function addressesOf(app: INestApplicationContext, url: string): Promise<Address[]> {
  const { all } = Operations.of(app);
  const page = await (await fetch(`${url}/docs`)).text();
  const files = [...page.matchAll(/(?:href|src)="(docs\/[\w.-]+)"/g)].map(([, file]) => ({
    method: 'GET',
    path: `/${file}`,
  }));
  const filled = all.map(({ method, template }) => ({ method, path: template.replace(/{\w+}/g, '1') }));
  return [...filled, ...files].flatMap((one) => (one.method === 'GET' ? [one, { ...one, method: 'HEAD' }] : [one]));
}

export interface Address {
  method: string;
  path: string;
}

/** Each standard request header (RFC 9110 to 9112, Fetch) with values that are right, wrong, or ask for what is not. */
export const STANDARD_HEADERS: Record<string, string[]> = {
  Range: ['bytes=0-1', 'bytes=99999999-', 'bytes=-0', 'bytes=0-1,3-4', 'bytes=x', 'lines=1-2', '"'],
  'If-Match': ['*', '"x"', 'W/"x"', 'x', '"'],
  'If-None-Match': ['*', '"x"', 'W/"x", "y"', '"'],
  'If-Modified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 2100 00:00:00 GMT', 'x'],
  'If-Unmodified-Since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 2100 00:00:00 GMT', 'x'],
  'If-Range': ['"x"', 'Thu, 01 Jan 1970 00:00:00 GMT', 'x'],
  Accept: ['*/*', 'text/html', 'image/png', '', ';q=', 'text/*;q=0'],
  'Accept-Charset': ['utf-8', '*;q=0'],
  'Accept-Encoding': ['gzip', 'identity;q=0', '*;q=0', ';'],
  'Accept-Language': ['en', '*;q=0', 'x--'],
  'Access-Control-Request-Method': ['PUT', 'x y'],
  'Access-Control-Request-Headers': ['range, x', ','],
  Authorization: ['Bearer x', 'Bearer', 'Basic eDp5'],
  'Cache-Control': ['no-cache', 'only-if-cached', 'max-age=x'],
  Connection: ['close', 'keep-alive, TE', 'Upgrade', 'Host'],
  'Content-Encoding': ['gzip', 'x'],
  'Content-Language': ['en'],
  'Content-Length': ['0', '1'],
  'Content-Location': ['/'],
  'Content-Range': ['bytes 0-1/2', 'x'],
  'Content-Type': ['application/json', 'text/plain', ';'],
  Cookie: ['session=x', 'session=%', '=;;'],
  Date: ['Thu, 01 Jan 1970 00:00:00 GMT', 'x'],
  Expect: ['100-continue', 'x'],
  Forwarded: ['for=1.2.3.4', ';'],
  From: ['a@b.example'],
  'Idempotency-Key': ['"x"', 'x', '"'],
  'Max-Forwards': ['0', '-1', 'x'],
  Origin: ['null', 'https://page.example', 'x'],
  Pragma: ['no-cache'],
  Prefer: ['return=minimal'],
  'Proxy-Authorization': ['Basic eDp5'],
  Referer: ['/', 'x:'],
  TE: ['trailers', 'gzip;q=0.5', ';'],
  Trailer: ['X', 'Content-Length'],
  'Transfer-Encoding': ['chunked', 'gzip'],
  Upgrade: ['h2c', 'websocket', ','],
  'User-Agent': ['x', ''],
  Via: ['1.1 x'],
  'X-Forwarded-For': ['1.2.3.4', 'x'],
};

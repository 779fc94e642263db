import { setTimeout } from 'node:timers/promises';
import { Connection } from './connection';

const HEAD = 'Host: x\r\nContent-Type: application/json\r\n';
const OFFER = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
const LOG_OUT = `GET /v2/user/logout HTTP/1.1\r\n${HEAD}\r\n`;
const CREATE = `POST /v1/pet HTTP/1.1\r\n${HEAD}`;
const CONNECT = 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n';
const LARGE_ANSWERS = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';

/** Where a client can be when it leaves: every stage of a request, and what is no request. Nothing of it is stored. */
const STAGES = [
  '',
  'POST /v1/p',
  `${CREATE}X: a`,
  `${CREATE}Content-Length: 2\r\n\r\n`,
  `${CREATE}Content-Length: 2\r\n\r\n{`,
  `${CREATE}Content-Length: 2\r\n\r\n{}`,
  `${CREATE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  `${CREATE}Transfer-Encoding: chunked\r\n\r\n2\r\n{`,
  `${CREATE}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  `${CREATE}Content-Encoding: gzip\r\nContent-Length: 2000000\r\n\r\n`,
  `${CREATE}X: ${'a'.repeat(17_000)}`,
  LOG_OUT,
  LOG_OUT + LOG_OUT,
  LARGE_ANSWERS,
  CONNECT,
  LOG_OUT + CONNECT,
  LARGE_ANSWERS + CONNECT,
  `GET /v2/user/logout HTTP/1.1\r\n${HEAD}${OFFER}\r\n`,
  `${LARGE_ANSWERS}GET /v2/user/logout HTTP/1.1\r\n${HEAD}${OFFER}\r\n${LOG_OUT}`,
  '\0',
  `${LOG_OUT}\0`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
];

/** How long a client waits before it leaves: until nothing, something or all of it has been worked on. */
const WAITS_MS = [0, 5];

/**
 * Ends connections with a reset at every stage, and fulfils when all are gone. An error that nobody hears would end
 * the process, or fail the test of an app that runs in it.
 */
export async function leaveRudely(url: string): Promise<void> {
  await Promise.all(STAGES.flatMap((bytes) => WAITS_MS.map((wait) => leave(url, bytes, wait))));
}

async function leave(url: string, bytes: string, wait: number): Promise<void> {
  const client = await Connection.to(url);
  client.pause();
  await client.write(bytes);
  await setTimeout(wait);
  client.reset();
}

/** Fulfils when the service is still there; a new connection may have to wait for the end of an old one. */
export async function expectAlive(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health/live`, { headers: { Connection: 'close' } }).catch(
      (error: Error) => error,
    );
    if (answer instanceof Response) {
      if (answer.status !== 200) {
        throw new Error(`/health/live answers ${answer.status}`);
      }
      return;
    }
    await setTimeout(20);
  }
}

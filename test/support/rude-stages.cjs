const HEAD = 'Host: x\r\nContent-Type: application/json\r\n';
const OFFER = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
const LOG_OUT = `GET /v2/user/logout HTTP/1.1\r\n${HEAD}\r\n`;
const CREATE = `POST /v1/pet HTTP/1.1\r\n${HEAD}`;
const CONNECT = 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n';
const LARGE_ANSWERS = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';

/**
 * Where a client can be when it leaves: every stage of a request, and what is no request.
 * Nothing of it is stored. In CommonJS, which both Jest and node:test read.
 */
module.exports = [
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

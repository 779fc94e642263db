// A closed loop over raw sockets, so that whoever asks costs little: each connection asks again once it is answered.
import { once } from 'node:events';
import { connect } from 'node:net';

/** The text of a request. */
export function http(method, path, { body, headers = {} } = {}) {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    Host: 'bench',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}

const EMPTY = Buffer.alloc(0);

/** Status, head and body of a whole answer; undefined while some of it is to come. */
function parse(bytes) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) {
    return undefined;
  }
  const head = bytes.latin1Slice(0, headEnd);
  const status = Number(head.slice(9, 12));
  const start = headEnd + 4;
  if (status === 304 || status === 204) {
    return { status, head, body: EMPTY };
  }
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    return bytes.length >= start + Number(length) ? { status, head, body: bytes.subarray(start) } : undefined;
  }
  return bytes.latin1Slice(bytes.length - 5) === '0\r\n\r\n'
    ? { status, head, body: unchunked(bytes.subarray(start)) }
    : undefined;
}

function unchunked(bytes) {
  const parts = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = parseInt(bytes.latin1Slice(at, lineEnd), 16);
    if (!size) {
      return Buffer.concat(parts);
    }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

/**
 * Asks on so many connections until `ms` have passed, or `count` answers are there. `requestOf(connection, n)` is
 * written while its predecessor is being answered; `seen(connection, n, answer)` is told of each answer.
 * Answers how many were answered and in what time. Throws for any status but the expected one.
 */
export async function load({ port, connections, ms = Infinity, count = Infinity, requestOf, status, seen }) {
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true);
      await once(socket, 'connect');
      return socket;
    }),
  );
  const began = performance.now();
  let sent = 0;
  let done = 0;
  const ask = (socket, connection) =>
    new Promise((resolve, reject) => {
      let n = 0;
      let bytes = EMPTY;
      let next = requestOf(connection, n);
      const send = () => {
        if (performance.now() - began >= ms || sent >= count) {
          resolve();
          return;
        }
        sent += 1;
        socket.write(next);
        next = requestOf(connection, n + 1);
      };
      socket.on('data', (chunk) => {
        bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
        const answer = parse(bytes);
        if (!answer) {
          return;
        }
        bytes = EMPTY;
        if (answer.status !== status) {
          reject(new Error(`answered ${answer.status}, not ${status}: ${answer.head}\n${answer.body}`));
          return;
        }
        done += 1;
        seen?.(connection, n, answer);
        n += 1;
        send();
      });
      socket.once('error', reject).once('close', () => reject(new Error('the server has closed a connection')));
      send();
    });
  try {
    await Promise.all(sockets.map(ask));
    return { done, ms: performance.now() - began };
  } finally {
    sockets.forEach((socket) => socket.destroy());
  }
}

/** One request; answers status, head and body. */
export async function call(port, text, status = 200) {
  let result;
  await load({
    port,
    connections: 1,
    count: 1,
    status,
    requestOf: () => text,
    seen: (c, n, answer) => (result = answer),
  });
  return { ...result, text: result.body.toString() };
}

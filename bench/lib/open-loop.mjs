// A load that does not wait for answers, as many independent clients are: requests start at a fixed rate, whatever
// becomes of the earlier ones. Raw sockets, so that this process costs the machine little.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const BODY = '{"name":"Rex","owner_id":"o-1","species":"dog","breed":"Beagle"}';
const MESSAGE =
  `POST /v1/pet HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${BODY.length}\r\n\r\n${BODY}`;
const HELLO = 'GET /health/live HTTP/1.1\r\nHost: bench\r\n\r\n';
const TICK_MS = 5;

/** Requests wait for a free connection when all are in use; the wait counts as part of their time. */
export async function openLoop({ port, rate, seconds, connections, inTimeMs }) {
  const counts = { offered: 0, inTime: 0, late: 0, refused: 0, failed: 0 };
  const times = [];
  const waiting = [];
  const free = [];
  const sockets = [];

  const next = (connection) => {
    const scheduled = waiting.shift();
    connection.scheduled = scheduled;
    if (scheduled === undefined) free.push(connection);
    else connection.socket.write(MESSAGE);
  };
  const answered = (connection, chunk) => {
    const ms = performance.now() - connection.scheduled;
    const status = chunk.toString('latin1', 9, 12);
    if (status === '503') counts.refused += 1;
    else if (status !== '201') counts.failed += 1;
    else {
      times.push(ms);
      counts[ms <= inTimeMs ? 'inTime' : 'late'] += 1;
    }
    next(connection);
  };
  const open = () => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    const connection = { socket, scheduled: undefined };
    sockets.push(socket);
    socket.write(HELLO);
    socket.once('data', () => {
      socket.on('data', (chunk) => answered(connection, chunk));
      next(connection);
    });
    socket.on('error', () => {
      counts.failed += connection.scheduled === undefined ? 0 : 1;
      open();
    });
  };
  for (let n = 0; n < connections; n++) open();
  // Node accepts one connection a turn of its event loop; the load begins when all are accepted.
  while (free.length < connections) await sleep(10);

  const start = performance.now();
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      const due = Math.floor((Math.min(now - start, seconds * 1_000) / 1_000) * rate);
      for (; counts.offered < due; counts.offered++) {
        const connection = free.pop();
        waiting.push(start + (counts.offered / rate) * 1_000);
        if (connection) next(connection);
      }
      if (now - start > seconds * 1_000 + inTimeMs) {
        clearInterval(timer);
        resolve();
      }
    }, TICK_MS);
  });
  sockets.forEach((socket) =>
    socket
      .removeAllListeners('error')
      .on('error', () => {})
      .destroy(),
  );
  times.sort((a, b) => a - b);
  const quantile = (q) => times[Math.floor(times.length * q)] ?? null;
  return { ...counts, goodput: counts.inTime / seconds, p50: quantile(0.5), p99: quantile(0.99) };
}

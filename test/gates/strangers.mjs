// A client that connects, asks for much, and leaves before it is answered, again and again, in a thread of its own.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { port, path, size } = workerData;
const text = `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
let sent = 0;
let ended = false;

const comeAndGo = () =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', async () => {
      sent += 1;
      socket.write(text);
      await sleep(3);
      socket.destroy();
    });
    socket.on('error', () => undefined).once('close', resolve);
  });

async function againAndAgain() {
  while (!ended) {
    await comeAndGo();
  }
}

parentPort.once('message', () => (ended = true));
await Promise.all(Array.from({ length: size }, againAndAgain));
parentPort.postMessage(sent);

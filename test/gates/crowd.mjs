// One client that does its worst, in a thread of its own: only what the service does is in its neighbours' way.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const { url, method, path, token, list, body, size } = workerData;
const agent = new Agent({ keepAlive: true, maxSockets: size });
let turns = 0;
let ended = false;

/** The longest list that the operation accepts, of users whom nobody else names, or its example. */
function nextBody() {
  const turn = turns++;
  return list > 0
    ? JSON.stringify(
        Array.from({ length: list }, (_, n) => ({ ...body, id: undefined, username: `crowd-${turn}-${n}` })),
      )
    : body && JSON.stringify(body);
}

function ask() {
  const text = nextBody();
  const headers = { Authorization: `Bearer ${token}`, ...(text && { 'Content-Type': 'application/json' }) };
  return new Promise((resolve) =>
    request(url + path, { agent, method, headers }, (res) => res.resume().once('close', resolve))
      .once('error', resolve)
      .end(text),
  );
}

async function askAgainAndAgain() {
  while (!ended) {
    await ask();
  }
}

parentPort.once('message', () => {
  ended = true;
  agent.destroy();
});
await Promise.all(Array.from({ length: size }, askAgainAndAgain));
parentPort.postMessage(turns);

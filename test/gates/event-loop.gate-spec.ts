import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  EVERYTHING,
  formShapes,
  headerShapes,
  hostileOperations,
  jsonShapes,
  repeated,
  targetShapes,
  type Place,
  type Shape,
  withValue,
  type HostileOperation,
} from '../support/hostile';
import { startApp, tokenFor, type RunningApp } from '../support/start-app';
import { RawHttp } from '../fuzz/raw-http';

/*
 * The event loop belongs to everybody: whatever one request says, the service is not silent for others, and works
 * no more than linearly in its bytes. With HOSTILE=whole every shape of value stands once at every place; without it
 * every place sees a shape, and those with members see the worst ones.
 */

const WHOLE_BODY = 1_048_576;
/** Node accepts 16 KiB; some of it is for the rest of the head. */
const WHOLE_HEAD = 15_000;
const LATE_MS = 250;
/** Doubled input may cost this much more. Below the floor nobody waits, and noise would decide. */
const GROWTH = 2.5;
const FLOOR_MS = 200;
const TRIES = 5;

jest.setTimeout(120_000);

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

let running: RunningApp;
let hostile: RawHttp;
let other: RawHttp;
let token: string;
beforeAll(async () => {
  running = await startApp();
  token = await tokenFor(running, 'caller');
  hostile = new RawHttp(running.url);
  other = new RawHttp(running.url);
});
afterAll(async () => {
  hostile.close();
  other.close();
  await running.stop();
});

const live = Buffer.from('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
const send = (wire: RawHttp, bytes: Buffer, method: string, path: string) =>
  wire.exchange({ bytes, method, path: path.split('?')[0]!, text: '', end: 'here' });

/** Asks for /health/live until `work` is done, at least twice, and answers the longest wait. */
async function longestWait(work: Promise<unknown>): Promise<number> {
  let done = false;
  let longest = 0;
  const end = work.finally(() => (done = true));
  for (let asked = 0; !done || asked < 2; asked++) {
    const start = performance.now();
    await send(other, live, 'GET', '/health/live');
    longest = Math.max(longest, performance.now() - start);
  }
  await end;
  return longest;
}

/** The CPU time that a request costs, in ms: other than the clock it does not run while others have the machine. */
async function costOf({ bytes, method, path }: Request): Promise<{ cpu: number; wait: number }> {
  const before = cpuTime();
  // After ten seconds nobody expects an answer any more.
  const wait = await longestWait(send(hostile, bytes, method, path)).catch(() => Infinity);
  return { cpu: cpuTime() - before, wait };
}

interface Request {
  method: string;
  path: string;
  bytes: Buffer;
}
type Hostile = [name: string, request: (share: number) => Request];

/** What is wrong with a request, if it is so each time. */
async function faultOf(make: (share: number) => Request): Promise<string | null> {
  const { cpu, wait } = await costOf(make(1));
  let fault: string | null = cpu > FLOOR_MS || wait > LATE_MS ? 'is suspicious' : null;
  for (let attempt = 0; attempt < TRIES && fault !== null; attempt++) {
    fault = (await latenessOf(make)) ?? (await growthOf(make));
  }
  return fault;
}

/** How much longer others wait than while the same process works for LATE_MS; a busy machine is slow at both. */
async function latenessOf(make: (share: number) => Request): Promise<string | null> {
  const allowed = await longestWait(sleep(0).then(() => work(LATE_MS)));
  const { wait } = await costOf(make(1));
  return wait > allowed
    ? `keeps others waiting for ${Math.round(wait)} ms, where ${LATE_MS} ms of work take ${Math.round(allowed)}`
    : null;
}

const cpuTime = () => (({ user, system }) => (user + system) / 1_000)(process.cpuUsage());

function work(ms: number): void {
  const end = cpuTime() + ms;
  while (cpuTime() < end);
}

async function growthOf(make: (share: number) => Request): Promise<string | null> {
  const [half, whole] = [make(0.5), make(1)];
  const costs: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    costs[0].push((await costOf(half)).cpu);
    costs[1].push((await costOf(whole)).cpu);
  }
  const [once, twice] = [median(costs[0]), median(costs[1])];
  return twice > FLOOR_MS && twice > GROWTH * once
    ? `costs ${Math.round(once)} ms of CPU, and ${Math.round(twice)} ms with twice the bytes`
    : null;
}

async function faultsOf(requests: Hostile[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, make] of requests) {
    const fault = await faultOf(make);
    if (fault !== null) {
      faults.push(`${name} ${fault}`);
    }
  }
  return faults;
}

const operations = hostileOperations({ username: 'caller', password: 'right', status: 'sold' });
const named = operations.map((operation) => [`${operation.method} ${operation.template}`, operation] as const);

function request(
  { method, headers }: HostileOperation,
  target: string,
  fields: Record<string, string>,
  body?: Buffer,
): Request {
  const all = { Host: 'a', Authorization: `Bearer ${token}`, ...headers(), ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = body && !('Content-Length' in fields) ? `Content-Length: ${body.length}\r\n` : '';
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}${length}\r\n`;
  return { method, path: target, bytes: Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]) };
}

const targetOf = ({ path, query }: HostileOperation) => (query ? `${path}?${query}` : path);

const shapes = Object.keys(jsonShapes);
let turn = 0;

function shapesAt({ inner }: Place): string[] {
  if (EVERYTHING) {
    return shapes;
  }
  turn += 1;
  return [shapes[turn % shapes.length]!, ...(inner ? ['members'] : [])];
}

const jsonBodies = (operation: HostileOperation): Hostile[] =>
  operation.json!.places.flatMap((place) =>
    shapesAt(place).map((shape): Hostile => [
      `${shape} at /${place.path.join('/')}`,
      // The same in few bytes on the wire may be as much to read.
      (share) => jsonRequest(operation, place, jsonShapes[shape]!, share, shape === 'a string'),
    ]),
  );

function jsonRequest(operation: HostileOperation, { path }: Place, shape: Shape, share: number, zip: boolean): Request {
  const { example } = operation.json!;
  const room = Math.floor(WHOLE_BODY * share) - withValue(example, path, '').length;
  const body = Buffer.from(withValue(example, path, shape(room)));
  const fields = { 'Content-Type': 'application/json', ...(zip && { 'Content-Encoding': 'gzip' }) };
  return request(operation, targetOf(operation), fields, zip ? gzipSync(body) : body);
}

function formBodies(operation: HostileOperation): Hostile[] {
  return Object.entries(formShapes).map(([name, shape]) => [
    name,
    (share) =>
      request(
        operation,
        operation.path,
        { 'Content-Type': 'application/x-www-form-urlencoded' },
        Buffer.from(shape(Math.floor(WHOLE_BODY * share) - 100)),
      ),
  ]);
}

function heads(operation: HostileOperation): Hostile[] {
  const body = operation.json && Buffer.from(JSON.stringify(operation.json.example));
  const type: Record<string, string> = body ? { 'Content-Type': 'application/json' } : {};
  const fields = headerShapes.map(([name, shape]): Hostile => [
    `${name}: ${shape(12)}`,
    (share) =>
      request(operation, targetOf(operation), { ...type, [name]: shape(Math.floor(WHOLE_HEAD * share)) }, body),
  ]);
  const targets = Object.entries(targetShapes(operation)).map(([name, shape]): Hostile => [
    name,
    (share) => request(operation, shape(Math.floor(WHOLE_HEAD * share)), type, body),
  ]);
  const many = repeated('A#: b', '', '', '\r\n');
  return [
    ...fields,
    ...targets,
    [
      'header fields',
      (share) =>
        request(
          operation,
          `${targetOf(operation)} HTTP/1.1\r\n${many(Math.floor(WHOLE_HEAD * share))}\r\nZ:`,
          type,
          body,
        ),
    ],
  ];
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

const withJson = named.filter(([, { json }]) => json);
const withForm = named.filter(([, { form }]) => form);

it.each(Object.entries(jsonShapes))(
  'the shape of %s is as large as it is asked to be, and JSON if it ends',
  (name, shape) => {
    const text = shape(10_000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000);
    expect(Buffer.byteLength(text)).toBeGreaterThan(9_900);
    expect(isJson(text)).toBe(!/not end|signs|commas/.test(name));
  },
);

it.each(withJson)('%s reads every JSON in time', async (_, operation) => {
  expect(await faultsOf(jsonBodies(operation))).toEqual([]);
});

if (withForm.length > 0) {
  it.each(withForm)('%s reads every form in time', async (_, operation) => {
    expect(await faultsOf(formBodies(operation))).toEqual([]);
  });
}

it.each(named)('%s reads every head in time', async (_, operation) => {
  expect(await faultsOf(heads(operation))).toEqual([]);
});

const bomb = gzipSync(Buffer.alloc(16 * WHOLE_BODY));

it.each(withJson)('%s undoes no more of a compressed body than it accepts', async (_, operation) => {
  const fields = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  expect(await faultOf(() => request(operation, targetOf(operation), fields, bomb))).toBeNull();
});

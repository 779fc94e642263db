import { parseArgs } from 'node:util';
import Ajv2020 from 'ajv/dist/2020';
import * as fc from 'fast-check';
import { addressesOf } from '../support/addresses';
import { start } from '../support/built-service.mjs';
import { document, faultsOf, templateOf, type Seen } from '../support/documented';
import { describeApp } from '../../src/app';
import { loadConfig } from '../../src/platform/config';
import { parseJson, type Int64 } from '../../src/platform/common/json';
import { parseQuery } from '../../src/platform/http';
import { createTestDatabase } from '../support/test-database';
import { Ledger } from './ledger';
import { Liveness } from './liveness';
import { fuzzedRequest, type Credentials, type Fuzzed } from './requests';
import { RawHttp } from './raw-http';

/*
 * Sends requests that are wrong by design to every address of the built service, and holds its answers against openapi.json:
 * never a 5xx, never a hang, always a documented answer, a body taken exactly when the document allows it,
 * no word of what the service runs on, and nothing stored but what was acknowledged. A share of the clients leaves with
 * a reset, and health checks beside it never wait much longer than those of a service that is idle.
 *
 *   npm run fuzz -- --seconds 60 --requests 100000 --seed 1
 *
 * With TEST_DATABASE_URL it does so on PostgreSQL.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    requests: { type: 'string', default: String(Number.MAX_SAFE_INTEGER) },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const AT_ONCE = 48;
const COMPARE_EVERY = 100;
const LATEST_MS = 250;

/** What runs behind the answers: JavaScript, its libraries, its databases, its files. */
const ENGINE_TEXT =
  /node:|node_modules|\bat \w+ ?\(|\.[jt]s:\d|sqlite|postgres|typeorm|SELECT |INSERT |express|nestjs|Unexpected token|JSON\.parse|SyntaxError|TypeError|RangeError|undefined|\[object|\/src\/|\/dist\//i;

const ajv = new Ajv2020({ strict: false, formats: { int32: true, int64: true, password: true } });
ajv.addSchema({ $id: 'openapi', ...document });

const LEFT = '(left with a reset)';
const counts = new Map<string, number>();
let sent = 0;

/** What is wrong with one answer. */
function* faults(request: Fuzzed, answer: Seen | null): Generator<string> {
  if (answer === null) {
    if (request.end === 'here') {
      yield 'the connection closed without an answer';
    }
    return;
  }
  if (answer.status >= 500) {
    yield `${answer.status} ${answer.body}`;
  }
  yield* faultsOf(answer);
  // A name that a client chose may hold any word; problems are in our words.
  if (answer.status >= 400 && ENGINE_TEXT.test(answer.body)) {
    yield `it speaks of what runs behind: ${answer.body}`;
  }
  if (request.plain !== undefined) {
    yield* bodyFaults(request, request.plain, answer);
  }
}

/** Where only the body decides: it is taken if the document allows it, and refused if not. */
function* bodyFaults({ method, path }: Fuzzed, text: string, { status }: Seen): Generator<string> {
  const allowed = isAllowed(method, path, text);
  const refused = [400, 405].includes(status);
  if (allowed === true && refused && !ownersDiffer(text)) {
    yield `${status} for a body that the document allows: ${ajv.errorsText()}`;
  } else if (allowed === false && !refused && status !== 413) {
    yield `${status} for a body that the document does not allow: ${ajv.errorsText()}`;
  }
}

/** Undefined for what JSON Schema cannot say: digits beyond a JavaScript number, bytes, surrogates, depth, size. */
function isAllowed(method: string, path: string, text: string): boolean | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (/[\d.]{16}|\d[eE]|\\ud[89a-f]|\p{Surrogate}|(\[|\{"a":){20}/iu.test(text) || text.length > 500_000) {
    return undefined;
  }
  if (/"password":"[^"]{250,}/.test(text)) {
    return undefined;
  }
  const body = `openapi#/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}/requestBody`;
  return ajv.validate(`${body}/content/application~1json/schema`, value);
}

function ownersDiffer(text: string): boolean {
  const { owner_id, owner } = JSON.parse(text) as { owner_id?: string | null; owner?: { id?: string | null } | null };
  return owner_id != null && owner?.id != null && owner_id !== owner.id;
}

async function examine(wire: RawHttp, ledger: Ledger, request: Fuzzed): Promise<string[]> {
  if (request.leavesAfter !== undefined) {
    await wire.leave(request.bytes.subarray(0, request.leavesAfter));
    counts.set(LEFT, (counts.get(LEFT) ?? 0) + 1);
    sent += 1;
    return [];
  }
  let answer: Seen | null;
  try {
    answer = await wire.exchange(request);
  } catch (error) {
    return [(error as Error).message];
  }
  acknowledge(ledger, request, answer);
  const { method, path } = request;
  const at = templateOf(path);
  const count = `${at ? `${method} ${at}` : '(another address)'} ${answer?.status ?? 'closed'}`;
  counts.set(count, (counts.get(count) ?? 0) + 1);
  sent += 1;
  return [...faults(request, answer)].map((fault) => `${method} ${path}: ${fault}`);
}

function acknowledge(ledger: Ledger, { method, path, text, bytes }: Fuzzed, answer: Seen | null): void {
  const template = templateOf(path);
  const created = `${method} ${template}`;
  const isMade = answer?.status === 201 || answer?.status === 200;
  if (isMade && ['POST /v1/pet', 'POST /v2/pet'].includes(created)) {
    const { id, name } = parseJson(answer.body) as { id: Int64; name: string };
    ledger.petCreated(id, name);
  } else if (answer?.status !== 200) {
    return;
  } else if (created === 'PUT /v2/pet') {
    const { id, name } = parseJson(text) as { id: Int64; name: string };
    ledger.petUpdated(id, name);
  } else if (template === '/v2/pet/{petId}') {
    const id = BigInt(decodeURIComponent(path.split('/')[3]!));
    if (method === 'DELETE') {
      ledger.petDeleted(id);
    } else if (method === 'POST') {
      ledger.petUpdated(id, nameInForm(text, bytes));
    }
  } else if (template?.startsWith('/v2/user/createWith')) {
    ledger.usersCreated((JSON.parse(text) as unknown[]).length);
  } else if (created === 'POST /v2/user') {
    ledger.usersCreated(1);
  }
}

/** The name that a form gives, in the body or, without one, in the query. */
function nameInForm(text: string, bytes: Buffer): string | undefined {
  const search = /^\S+ [^ ?]*\?(\S*)/.exec(bytes.toString('latin1'))?.[1] ?? '';
  const { name } = parseQuery(text === '' ? search : text);
  return typeof name === 'string' ? name : undefined;
}

/** One account for the log-ins, another for the token: a log-in may end the account's oldest session. */
async function prepare(url: string, ledger: Ledger): Promise<Credentials> {
  const body = JSON.stringify(['fuzz', 'keeper'].map((username) => ({ username, password: 'right' })));
  const headers = { 'Content-Type': 'application/json' };
  await fetch(`${url}/v2/user/createWithList`, { method: 'POST', headers, body });
  ledger.usersCreated(2);
  const logIn = await fetch(`${url}/v2/user/login?username=keeper&password=right`);
  return { username: 'fuzz', password: 'right', token: (await logIn.json()) as string };
}

const startOn = (databaseUrl: string) =>
  start({
    DATABASE_URL: databaseUrl,
    SQLITE_SYNCHRONOUS: 'NORMAL',
    ARGON2_MEMORY_KIB: '8',
    ARGON2_TIME_COST: '1',
    LOGIN_FAILURES_PER_ACCOUNT: '1000000',
    LOGIN_FAILURES_PER_ADDRESS: '1000000',
    HASH_QUEUE_LIMIT: '100000',
  });

async function main(): Promise<void> {
  const [database, idleDatabase] = [await createTestDatabase(), await createTestDatabase()];
  const [service, idle] = [await startOn(database.url), await startOn(idleDatabase.url)];
  const wire = new RawHttp(service.url);
  const ledger = new Ledger(database.url);
  const described = await describeApp(loadConfig({}));
  const besides = (await addressesOf(described, service.url)).filter(({ path }) => templateOf(path) === undefined);
  const requests = fuzzedRequest(await prepare(service.url, ledger), besides);
  let rounds = 0;
  let underWay: Promise<string[][]> = Promise.resolve([]);
  const property = fc.asyncProperty(
    fc.array(requests, { minLength: 1, maxLength: AT_ONCE, size: 'max' }),
    async (all) => {
      underWay = Promise.all(all.map((request) => examine(wire, ledger, request)));
      const found = (await underWay).flat();
      rounds += 1;
      if (rounds % COMPARE_EVERY === 0) {
        found.push(...(await ledger.differences()));
      }
      if (found.length > 0) {
        throw new Error(found.join('\n'));
      }
    },
  );
  const began = performance.now();
  const liveness = new Liveness(service.url, idle.url);
  const result = await fc.check(property, {
    seed: Number(values.seed),
    numRuns: Math.ceil(Number(values.requests) / (AT_ONCE / 2)),
    interruptAfterTimeLimit: Number(values.seconds) * 1_000,
    markInterruptAsFailure: false,
  });
  // When the time is up, the last round may still run.
  await underWay;
  const { pings, later } = await liveness.end();
  const differences = await ledger.differences();
  report(result, differences, (performance.now() - began) / 1_000);
  console.log(`${pings} health checks, answered at most ${later.toFixed(0)} ms later than by an idle service`);
  if (later > LATEST_MS) {
    console.log('FOUND: the service kept its event loop to itself');
    process.exitCode = 1;
  }
  const errors = service.lines().filter(({ level }) => level === 'error');
  if (errors.length > 0) {
    console.log(
      `The service logged errors:\n${errors
        .slice(0, 5)
        .map((line) => JSON.stringify(line))
        .join('\n')}`,
    );
    process.exitCode = 1;
  }
  wire.close();
  await Promise.all([service.stop(), idle.stop()]);
  await Promise.all([database.drop(), idleDatabase.drop()]);
}

function report(result: fc.RunDetails<[Fuzzed[]]>, differences: string[], seconds: number): void {
  for (const [count, times] of [...counts].sort()) {
    console.log(`${String(times).padStart(9)}  ${count}`);
  }
  console.log(`${sent} requests in ${seconds.toFixed(0)} s, seed ${result.seed}`);
  if (result.failed || differences.length > 0) {
    process.exitCode = 1;
    const [shrunk] = result.counterexample ?? [[]];
    console.log(`FOUND ${result.errorInstance instanceof Error ? result.errorInstance.message : ''}`);
    console.log(differences.join('\n'));
    shrunk.forEach(({ bytes }) => console.log(JSON.stringify(bytes.toString('latin1').slice(0, 2_000))));
  } else {
    console.log('No finding.');
  }
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});

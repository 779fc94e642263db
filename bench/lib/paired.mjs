// Product and peer in pairs: both are warmed up, then they take turns, and only the two of a pair are compared. On a
// machine with neighbours the rates of different minutes tell little; the ratio within a pair tells something, and that
// of the CPU a request costs tells most.
import { prepare, startServer, subject as subjectOf } from './servers.mjs';
import { call, load } from './load.mjs';
import { compareAnswers } from './same.mjs';

/** Of CPU, not by the clock: on a busy machine a second may be little work. */
const WARM_UP_CPU_MS = 2_000;
const LONGEST_WARM_UP_CPU_MS = 8_000;
/** V8 optimises what was called often enough: over one connection that takes longer. */
const WARM_UP_REQUESTS = 6_000;
const WARM_UP_STEP_MS = 500;
/** Product against product may stray so far. */
const AA_BOUNDS = [0.9, 1.1];
const AA_TRIES = 3;

export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

/** Medians of the ratios within the pairs, product ÷ peer: the rate, and the CPU of a request. */
export function ratios(rounds) {
  const of = (measure) => median(rounds.map(({ product, peer }) => product[measure] / peer[measure]));
  return { rate: of('rate'), cpu: of('cpuUs') };
}

export const strays = (ratio) => ratio < AA_BOUNDS[0] || ratio > AA_BOUNDS[1];

/**
 * One case against all its peers. The A/A pair comes first, and is tried again while it strays; what still strays
 * after the last try is void, and said to be.
 */
export async function measure(name, benchCase, { rounds = 15, ms = 400, peers = benchCase.peers, log = console.log }) {
  prepare(peers);
  const results = {};
  for (let n = 0; n < AA_TRIES; n++) {
    results.again = await pair(benchCase, 'again', { rounds, ms });
    const { rate, cpu } = ratios(results.again);
    log(`${name}: A/A rate ${rate.toFixed(2)}, CPU ${cpu.toFixed(2)}`);
    if (!strays(cpu) && !strays(rate)) {
      break;
    }
  }
  for (const peer of peers) {
    results[peer] = await pair(benchCase, peer, { rounds, ms });
    const { rate, cpu } = ratios(results[peer]);
    const [{ product }] = results[peer];
    log(
      `${name}: ÷ ${subjectOf(peer).label}: rate ${rate.toFixed(2)}, CPU ${cpu.toFixed(2)}` +
        ` (ours ${Math.round(product.rate)}/s, ${Math.round(product.cpuUs)} µs)`,
    );
  }
  return results;
}

export async function pair(benchCase, peer, { rounds, ms }) {
  const servers = [];
  try {
    for (const name of ['product', peer]) {
      servers.push(await startServer(name, benchCase.server));
    }
    const [product, other] = await Promise.all(servers.map((server) => readied(server, benchCase)));
    compareAnswers(peer, product.sample, other.sample);
    for (const subject of [product, other]) {
      await warmUp(subject, benchCase);
    }
    const measured = [];
    for (let round = 0; round < rounds; round++) {
      const pairOfRound = {};
      // Who is first changes from round to round, so that a machine that gets slower favours neither.
      for (const subject of round % 2 === 0 ? [product, other] : [other, product]) {
        pairOfRound[subject === product ? 'product' : 'peer'] = await run(subject, benchCase, ms);
      }
      measured.push(pairOfRound);
    }
    for (const subject of [product, other]) {
      benchCase.verify?.(subject);
    }
    return measured;
  } catch (error) {
    error.message += servers.map((server) => `\n${server.name}: ${server.errors()}`).join('');
    throw error;
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function readied(server, benchCase) {
  const subject = { server, acknowledged: 1, state: await benchCase.prepare?.(server) };
  subject.sample = await call(server.port, benchCase.requestOf(subject, 0, 0), benchCase.status);
  benchCase.seen?.(subject, 0, 0);
  return subject;
}

/** Asks until V8 has compiled what the case needs; of `subject` it takes its `server` and what was `acknowledged`. */
export async function warmUp(subject, benchCase) {
  const { server, acknowledged } = subject;
  const before = server.cpuMs();
  const isWarm = () => {
    const cpu = server.cpuMs() - before;
    const isUsed = cpu >= WARM_UP_CPU_MS && subject.acknowledged - acknowledged >= WARM_UP_REQUESTS;
    return isUsed || cpu >= LONGEST_WARM_UP_CPU_MS;
  };
  while (!isWarm()) {
    await run(subject, benchCase, WARM_UP_STEP_MS);
  }
}

/** Rate, and CPU of a request, in `ms`. */
export async function run(subject, { connections, requestOf, seen, status }, ms) {
  const { server } = subject;
  const cpu = server.cpuMs();
  const { done, ms: took } = await load({
    port: server.port,
    connections,
    ms,
    status,
    requestOf: (connection, n) => requestOf(subject, connection, n),
    seen: seen && ((connection, n) => seen(subject, connection, n)),
  });
  subject.acknowledged += done;
  return { rate: (done * 1_000) / took, cpuUs: ((server.cpuMs() - cpu) * 1_000) / done };
}

// Started by main.mjs, in a network and a tree of processes of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE_URL } from './config.mjs';
import { Cluster } from './cluster.mjs';
import { FAULTS } from './faults.mjs';
import { FailoverLoad, took } from './load.mjs';
import { readOptions } from './options.mjs';
import { seeded } from '../support/seeded.mjs';
import { Report } from './report.mjs';
import { Services } from './services.mjs';

const CLIENTS = 32;

const [folder, ...args] = process.argv.slice(2);
const options = readOptions(args);
const random = seeded(options.seed);
const report = new Report(options);
const cluster = new Cluster(folder);
const services = new Services();
const loads = [];
const deck = [];

try {
  await cluster.start();
  await services.start();
  for (let number = 1; number <= options.rounds; number++) {
    report.add(await round(number));
  }
  const later = (await Promise.all(loads.map((load) => load.broken(cluster, SERVICE_URL)))).flat();
  report.finish([...later, ...services.unexpected]);
} catch (error) {
  report.fail(error);
}
services.writeLogs(folder);
process.exit(report.exitCode);

async function round(number) {
  const name = options.faults?.[number - 1] ?? nextFault();
  const isChosen = { on: true, off: false, mixed: number % 2 === 1 }[options['shutdown-sessions']];
  const fault = FAULTS[name];
  await cluster.balance(isChosen, options['slow-checks']);
  const { primary, heir } = await cluster.health();
  const logBytes = services.logBytes;

  const load = new FailoverLoad(SERVICE_URL, `r${number}`, CLIENTS);
  loads.push(load);
  await sleep(2_000 + 2_000 * random());
  const struckAt = performance.now();
  const promotion = fault.promotes ? cluster.promotion(primary, 40) : { promotedAt: struckAt, commitsAt: struckAt };
  await fault.strike({ cluster, services, primary, heir, random });
  const { promotedAt, commitsAt } = await promotion;
  const firstWriteMs = await load.firstWriteAfter(promotedAt);
  await sleep(2_000 + 2_000 * random());
  await fault.heal({ primary });
  await sleep(5_000);
  await load.stop();

  await services.whole();
  await cluster.health();
  await load.repeat(SERVICE_URL);
  return {
    number,
    fault: name,
    shutdownSessions: isChosen,
    promotionMs: promotedAt - struckAt,
    commitsMs: commitsAt - promotedAt,
    firstWriteMs,
    slowest: load.slowest,
    slowestMs: took(load.slowest),
    statuses: load.statuses,
    logBytes: services.logBytes - logBytes,
    load,
    broken: [...(await load.broken(cluster, SERVICE_URL)), ...services.unexpected],
  };
}

/** Each of them once, by chance, before any comes again. */
function nextFault() {
  if (deck.length === 0) {
    deck.push(...Object.keys(FAULTS));
  }
  return deck.splice(Math.floor(random() * deck.length), 1)[0];
}

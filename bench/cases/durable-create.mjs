// Pets created a second over HTTP, each on the disk before its answer: with group commit and one by one on SQLite,
// with SQLITE_SYNCHRONOUS=NORMAL for comparison, and on PostgreSQL where TEST_DATABASE_URL names a server. The variants
// take turns in every round.
import { resolve } from 'node:path';
import { start, temporaryFolder } from '../../test/support/built-service.mjs';
import { createDatabase, server } from '../../test/support/server-database.mjs';
import { http, load } from '../lib/load.mjs';
import { options } from '../lib/options.mjs';
import { median } from '../lib/paired.mjs';

const { rounds = 5, ms = 2_000 } = options;
const CONNECTIONS = [1, 8, 64];

const cleanUp = [];
const folder = temporaryFolder((remove) => cleanUp.push(remove));
const sqlite = (name, settings = {}, nodeArguments = []) =>
  start({ DATABASE_URL: `sqlite:${folder}/${name}.sqlite`, ...settings }, nodeArguments);
const variants = {
  'SQLite, group commit': await sqlite('grouped'),
  'SQLite, one by one': await sqlite('single', {}, ['--require', resolve(import.meta.dirname, 'one-by-one.cjs')]),
  'SQLite, NORMAL': await sqlite('normal', { SQLITE_SYNCHRONOUS: 'NORMAL' }),
};
if (server) {
  const { url, drop } = await createDatabase();
  cleanUp.unshift(drop);
  variants.PostgreSQL = await start({ DATABASE_URL: url, POSTGRES_POOL_SIZE: '20' });
}

const NEW_PET = http('POST', '/v1/pet', { body: { name: 'Rex', owner_id: 'o-1', species: 'dog', breed: 'Beagle' } });

async function rateOf({ url }, connections) {
  const { port } = new URL(url);
  const { done, ms: took } = await load({ port, connections, ms, status: 201, requestOf: () => NEW_PET });
  return (done * 1_000) / took;
}

try {
  for (const variant of Object.values(variants)) await rateOf(variant, 8);
  for (const connections of CONNECTIONS) {
    const rates = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, variant] of Object.entries(variants)) rates[name].push(await rateOf(variant, connections));
    }
    for (const [name, measured] of Object.entries(rates)) {
      console.log(`${connections} connections, ${name}: ${Math.round(median(measured))} pets/s`);
    }
    const gains = rates['SQLite, one by one'].map((rate, round) => rates['SQLite, group commit'][round] / rate);
    console.log(`${connections} connections, gain of group commit: ×${median(gains).toFixed(2)} (median of pairs)`);
  }
} finally {
  await Promise.all(Object.values(variants).map((service) => service.stop()));
  for (const step of cleanUp) await step();
}

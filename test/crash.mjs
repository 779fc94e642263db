// npm run test:crash -- --rounds 100 --database sqlite
// Kills the service, or PostgreSQL under it, in the middle of its work; shows what was promised and what was lost.
import { parseArgs } from 'node:util';
import { killService, postgresDatabase, restartDatabase, sqliteDatabase } from './support/crash.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, database: { type: 'string', default: 'sqlite' } },
});
const onPostgres = values.database === 'postgres';
const database = await (onPostgres ? postgresDatabase() : sqliteDatabase());
const faults = onPostgres
  ? { 'kill -9 of the service': killService, 'immediate restart of PostgreSQL': restartDatabase }
  : { 'kill -9 of the service': killService };

try {
  for (const [name, fault] of Object.entries(faults)) {
    const rounds = [];
    for (let n = 0; n < Number(values.rounds); n++) {
      rounds.push(await fault(database, `${fault.name}-${n}`));
      rounds.at(-1).broken.forEach((promise) => console.log(`round ${n}: ${promise}`));
    }
    console.log(`${name} on ${values.database}:`, summary(rounds));
    process.exitCode ||= rounds.some(({ broken }) => broken.length > 0) ? 1 : 0;
  }
} finally {
  await database.drop();
}

function summary(rounds) {
  const sum = (member) => rounds.reduce((total, round) => total + round[member], 0);
  const times = rounds.map(({ recoveryMs }) => Math.round(recoveryMs)).sort((a, b) => a - b);
  return {
    rounds: rounds.length,
    acknowledged: sum('acknowledged'),
    refused: sum('refused'),
    inDoubt: sum('inDoubt'),
    repeats: sum('repeats'),
    lostAnswers: sum('lostAnswers'),
    doubles: sum('doubles'),
    brokenPromises: rounds.flatMap(({ broken }) => broken).length,
    recoveryMs: { median: times[times.length >> 1], worst: times.at(-1) },
  };
}

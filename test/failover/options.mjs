import { parseArgs } from 'node:util';
import { FAULTS } from './faults.mjs';

/** The options of the command line. Throws a sentence for those that make no sense. */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 100_000) },
      /** In turn rather than by chance. */
      faults: { type: 'string' },
      /** `on`, `off`, or `mixed`: every other round with on-marked-down shutdown-sessions. */
      'shutdown-sessions': { type: 'string', default: 'mixed' },
      /** HAProxy looks after its servers every 3 s, as by default. */
      'slow-checks': { type: 'boolean', default: false },
      tap: { type: 'string' },
      /** The folder with all configurations, data and logs stays. */
      keep: { type: 'boolean', default: false },
    },
  });
  const faults = values.faults?.split(',');
  const unknown = faults?.find((name) => !(name in FAULTS));
  if (unknown !== undefined) {
    throw new Error(`There is no fault ${unknown}; there are ${Object.keys(FAULTS).join(', ')}.`);
  }
  return { ...values, faults, rounds: faults?.length ?? Number(values.rounds), seed: Number(values.seed) };
}

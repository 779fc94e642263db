// What `npm run bench --` may be told.
import { parseArgs } from 'node:util';

const number = { type: 'string' };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: number,
    ms: number,
    count: number,
    minutes: number,
    idle: number,
    peers: { type: 'string' },
    ci: { type: 'boolean' },
    record: { type: 'boolean' },
    report: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

export const USAGE =
  'npm run bench -- [case…] [--rounds N] [--ms N of a round] [--peers a,b,/another/build]\n' +
  '                 [--count N] [--minutes N] [--idle seconds]\n' +
  'npm run bench -- --ci       a short run that fails where the service got worse\n' +
  'npm run bench -- --ci --record   keeps what is measured as what the service must not get worse than\n' +
  'npm run bench -- --report   writes the tables and the plot of docs/performance.md anew\n';

export const names = positionals;
export const options = {
  ...values,
  peers: values.peers?.split(','),
  ...Object.fromEntries(
    ['rounds', 'ms', 'count', 'minutes', 'idle'].flatMap((name) =>
      values[name] ? [[name, Number(values[name])]] : [],
    ),
  ),
};

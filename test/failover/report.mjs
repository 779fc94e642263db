import { writeFileSync } from 'node:fs';

/** What is pointed out, and what fails: times depend on what else the machine does, promises do not. */
const LIMITS = {
  firstWriteMs: { name: 'the first write', goal: 2_500, most: 10_000 },
  slowestMs: { name: 'the slowest answer', goal: 5_000, most: 20_000 },
};

/** Prints each round, a table of all, and the same as TAP. */
export class Report {
  rounds = [];
  /** What failed of each, if anything. */
  tests = [];

  constructor({ seed, rounds, tap }) {
    this.tap = tap;
    console.log(`${rounds} rounds, seed ${seed}`);
  }

  get exitCode() {
    return this.tests.some(({ faults }) => faults.length > 0) ? 1 : 0;
  }

  add(round) {
    this.rounds.push(round);
    const { acknowledged, refused, inDoubt, repeats, lostAnswers } = round.load;
    const { path, status } = round.slowest;
    console.log(
      `${round.number}. ${title(round)}: promotion after ${seconds(round.promotionMs)}, ` +
        `PostgreSQL commits ${seconds(round.commitsMs)} later, first write ${seconds(round.firstWriteMs)} later, ` +
        `slowest answer ${seconds(round.slowestMs)} (${status} ${path}), ` +
        `${acknowledged} acknowledged, ${refused} refused, ${inDoubt} in doubt, ${repeats} repeated ` +
        `(${lostAnswers} were stored), log ${(round.logBytes / 1e6).toFixed(1)} MB, ` +
        `answers ${JSON.stringify(round.statuses)}`,
    );
    round.broken.slice(0, 20).forEach((promise) => console.log(`   BROKEN: ${promise}`));
    const late = (bound) =>
      Object.entries(LIMITS)
        .filter(([member, limit]) => round[member] > limit[bound])
        .map(([member, { name }]) => `${name} took ${seconds(round[member])}`);
    late('goal').forEach((what) => console.log(`   goal missed: ${what}`));
    this.tests.push({ name: `${round.number}. ${title(round)}`, faults: [...round.broken, ...late('most')] });
    this.write();
  }

  finish(broken) {
    broken.slice(0, 20).forEach((promise) => console.log(`BROKEN, looked at again at the end: ${promise}`));
    console.table(
      [...new Set(this.rounds.map(title))].sort().map((fault) => {
        const rounds = this.rounds.filter((round) => title(round) === fault);
        return {
          fault,
          rounds: rounds.length,
          'promotion, s': worst(rounds, 'promotionMs'),
          'PostgreSQL commits, s': worst(rounds, 'commitsMs'),
          'first write after it, s': worst(rounds, 'firstWriteMs'),
          'slowest answer, s': worst(rounds, 'slowestMs'),
          acknowledged: rounds.reduce((sum, { load }) => sum + load.acknowledged, 0),
          broken: rounds.reduce((sum, { broken }) => sum + broken.length, 0),
        };
      }),
    );
    this.tests.push({ name: 'every round once more at the end', faults: broken });
    this.write();
  }

  fail(error) {
    console.error(error);
    this.tests.push({ name: 'the run', faults: [error.message] });
    this.write();
  }

  write() {
    if (this.tap === undefined) {
      return;
    }
    const failed = this.tests.filter(({ faults }) => faults.length > 0).length;
    const lines = [
      'TAP version 13',
      ...this.tests.flatMap(({ name, faults }, index) => [
        `${faults.length > 0 ? 'not ok' : 'ok'} ${index + 1} - ${name}`,
        ...faults.map((fault) => `# ${fault}`),
      ]),
      `1..${this.tests.length}`,
      `# pass ${this.tests.length - failed}`,
      `# fail ${failed}`,
      '# cancelled 0',
      '# skipped 0',
    ];
    writeFileSync(this.tap, `${lines.join('\n')}\n`);
  }
}

const title = ({ fault, shutdownSessions }) => `${fault}, ${shutdownSessions ? 'with' : 'without'} shutdown-sessions`;
const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
const worst = (rounds, member) => Number((Math.max(...rounds.map((round) => round[member])) / 1_000).toFixed(1));

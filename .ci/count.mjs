// Counts from the runners' own results; a report that is missing counts as a failure.
import { readFileSync } from 'node:fs';

const [folder, ...exitCodes] = process.argv.slice(2);
let passed = 0;
let failed = 0;
const add = (pass, fail) => {
  passed += pass;
  failed += fail;
};

const read = (name, count) => {
  try {
    count(readFileSync(`${folder}/${name}`, 'utf8'));
  } catch (error) {
    console.error(`No result from ${name}: ${error.message}`);
    add(0, 1);
  }
};

exitCodes.forEach((code) => add(code === '0' ? 1 : 0, code === '0' ? 0 : 1));
for (const report of ['jest.json', 'gates.json', 'postgres.json', 'pgbouncer.json']) {
  read(report, (text) => {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(text);
    add(numPassedTests, numFailedTests + numRuntimeErrorTestSuites);
  });
}
for (const report of ['smoke.tap', 'house.tap', 'clients.tap']) {
  read(report, (text) => {
    const number = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(text)[1]);
    // Here a skipped test is one that lacks what it needs.
    add(number('pass'), number('fail') + number('cancelled') + number('skipped'));
  });
}

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

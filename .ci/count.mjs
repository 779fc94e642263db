// Counts from the runners' own results. A step that failed counts once if its report names no failure, or is missing.
import { existsSync, readFileSync } from 'node:fs';

const [folder] = process.argv.slice(2);

function ofJest(text) {
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(text);
  return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
}

function ofTap(text) {
  const number = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(text)?.[1]);
  // Here a skipped test is one that lacks what it needs.
  return { passed: number('pass'), failed: number('fail') + number('cancelled') + number('skipped') };
}

function countOf(name, code) {
  const report = [
    [`${name}.json`, ofJest],
    [`${name}.tap`, ofTap],
  ].find(([file]) => existsSync(`${folder}/${file}`));
  if (!report) {
    return code === '0' ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  }
  const { passed, failed } = report[1](readFileSync(`${folder}/${report[0]}`, 'utf8'));
  // A run that was cut off has no sums.
  const isCutOff = Number.isNaN(passed + failed);
  return { passed: passed || 0, failed: isCutOff || (code !== '0' && failed === 0) ? 1 : failed };
}

const AGAIN = /-again$/;
const counts = new Map();
for (const line of readFileSync(`${folder}/steps`, 'utf8').trim().split('\n')) {
  const [name, code] = line.split(' ');
  const { passed, failed } = countOf(name, code);
  console.log(`${failed === 0 ? 'ok    ' : 'FAILED'} ${name}: ${passed} passed, ${failed} failed`);
  const first = counts.get(name.replace(AGAIN, ''));
  // Of the red ones that ran once more, those count as failed that were red again.
  const all = first ? first.passed + first.failed : passed + failed;
  counts.set(name.replace(AGAIN, ''), { passed: Math.max(0, all - failed), failed });
}
const sum = (which) => [...counts.values()].reduce((total, count) => total + count[which], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') === 0 ? 0 : 1);

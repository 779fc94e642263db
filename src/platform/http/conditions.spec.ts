import { Problem } from '../common/problem';
import { Conditions, entityTag, PreconditionFailed } from './conditions';

const version = 46_655;
const verdict = (decide: () => unknown) => {
  try {
    return decide() ?? 'permitted';
  } catch (error) {
    return error instanceof PreconditionFailed ? 412 : (error as Problem).kind.status;
  }
};
const change = (headers: object) => verdict(() => new Conditions(headers as never).assertMatches(version));
const read = (headers: object) => verdict(() => new Conditions(headers as never).isNotModified(version));

it('makes a strong entity tag of a version', () => expect(entityTag(version)).toBe('"zzz"'));

it('knows whether anything is asked', () => {
  expect(new Conditions({ 'if-modified-since': 'Sat, 28 Nov 2026 00:00:00 GMT' }).none).toBe(true);
  expect(new Conditions({ 'if-match': '' }).none).toBe(false);
  expect(new Conditions({ 'if-none-match': '*' }).none).toBe(false);
});

it.each([
  ['"zzz"', 'permitted', 412, true],
  ['*', 'permitted', 412, true],
  ['  *  ', 'permitted', 412, true],
  ['"a", "zzz"', 'permitted', 412, true],
  ['"a","zzz",W/"b"', 'permitted', 412, true],
  [',, "zzz" ,\t,', 'permitted', 412, true],
  ['"a,b", "zzz"', 'permitted', 412, true],
  // If-Match compares strongly, If-None-Match weakly.
  ['W/"zzz"', 412, 412, true],
  ['"ZZZ"', 412, 'permitted', false],
  ['"a"', 412, 'permitted', false],
  ['""', 412, 'permitted', false],
  ['"\xe9"', 412, 'permitted', false],
  ['', 400, 400, false],
  [' , ', 400, 400, false],
  ['zzz', 400, 400, false],
  ['"zzz', 400, 400, false],
  ['"zzz" "a"', 400, 400, false],
  ['w/"zzz"', 400, 400, false],
  ['"z z"', 400, 400, false],
  ['*, "zzz"', 400, 400, false],
  ['"zzz", *', 400, 400, false],
])('reads %j', (field, matching, noneMatching, notModified) => {
  expect(change({ 'if-match': field })).toBe(matching);
  expect(change({ 'if-none-match': field })).toBe(noneMatching);
  expect(read({ 'if-none-match': field })).toBe(notModified);
  expect(read({ 'if-match': field })).toBe(matching === 'permitted' ? false : matching);
});

it('asks If-Match first', () => {
  expect(change({ 'if-match': '"a"', 'if-none-match': 'b' })).toBe(412);
  expect(change({ 'if-match': '"zzz"', 'if-none-match': '"b"' })).toBe('permitted');
  expect(read({ 'if-match': '"a"', 'if-none-match': '"zzz"' })).toBe(412);
});

it('takes time in proportion to the field', () => {
  const started = process.cpuUsage();
  for (const part of ['"a" ', '"a",', ' ', ',', '"', 'W/', '\t,']) {
    change({ 'if-match': part.repeat(16_384) });
  }
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(500);
});

import { setImmediate as turn } from 'node:timers/promises';
import { Newcomers } from './newcomers';

it('go first until the event loop has turned without one', async () => {
  const newcomers = new Newcomers();
  expect(newcomers.passed()).toBeUndefined();
  newcomers.accepted();
  await turn();
  newcomers.accepted();
  await turn();
  expect(newcomers.goFirst).toBe(true);
  let passed = false;
  void newcomers.passed()!.then(() => (passed = true));
  await turn();
  await turn();
  expect([newcomers.goFirst, passed]).toEqual([false, true]);
});

it('do not go first for ever', async () => {
  const newcomers = new Newcomers();
  const end = performance.now() + 2_000;
  do {
    newcomers.accepted();
    await turn();
  } while (newcomers.goFirst && performance.now() < end);
  expect(newcomers.goFirst).toBe(false);
});

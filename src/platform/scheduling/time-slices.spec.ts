import { setImmediate as turn } from 'node:timers/promises';
import { TimeSlices } from './time-slices';

const busyFor = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

it('lets the event loop turn between pieces of work that came together, and goes round keys', async () => {
  const slices = new TimeSlices();
  const began: string[] = [];
  const all = ['a', 'a', 'a', 'b'].map(
    (key, n) =>
      new Promise<void>((begun) =>
        slices.begin(key, () => {
          began.push(`${key}${n}`);
          busyFor(3);
          begun();
        }),
      ),
  );
  expect(began).toEqual(['a0']);
  await turn();
  expect(began).toHaveLength(2);
  await Promise.all(all);
  expect(began).toEqual(['a0', 'a1', 'b3', 'a2']);
});

it('counts what a piece does before it first waits for something', async () => {
  const slices = new TimeSlices();
  const began: number[] = [];
  slices.begin('a', () => busyFor(3));
  for (const n of [1, 2, 3]) {
    slices.begin('a', () => {
      began.push(n);
      void Promise.resolve().then(() => busyFor(3));
    });
  }
  await turn();
  expect(began).toEqual([1]);
});

it('begins at once when there is time', () => {
  const slices = new TimeSlices();
  let began = 0;
  for (const key of ['a', 'a', 'b']) {
    slices.begin(key, () => (began += 1));
  }
  expect(began).toBe(3);
});

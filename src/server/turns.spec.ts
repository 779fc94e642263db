import type { Request } from 'express';
import { setImmediate as turn } from 'node:timers/promises';
import { Turns } from './turns';

const from = (ip: string) => ({ ip, headers: {}, socket: {} }) as Request;
const busyFor = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

it('lets the event loop turn between the requests that came together, and goes round networks', async () => {
  const turns = new Turns();
  const began: string[] = [];
  const all = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '198.51.100.1'].map(
    (ip, n) =>
      new Promise<void>((begun) =>
        turns.take(from(ip), () => {
          began.push(`${ip} ${n}`);
          busyFor(3);
          begun();
        }),
      ),
  );
  expect(began).toEqual(['192.0.2.1 0']);
  await turn();
  expect(began).toHaveLength(2);
  await Promise.all(all);
  expect(began).toEqual(['192.0.2.1 0', '192.0.2.1 1', '198.51.100.1 3', '192.0.2.1 2']);
});

it('counts what a request does before it first waits for something', async () => {
  const turns = new Turns();
  const began: number[] = [];
  turns.take(from('192.0.2.1'), () => busyFor(3));
  for (const n of [1, 2, 3]) {
    turns.take(from('192.0.2.1'), () => {
      began.push(n);
      void Promise.resolve().then(() => busyFor(3));
    });
  }
  await turn();
  expect(began).toEqual([1]);
});

it('begins requests at once when there is time', () => {
  const turns = new Turns();
  let began = 0;
  for (const ip of ['192.0.2.1', '192.0.2.1', '198.51.100.1']) {
    turns.take(from(ip), () => (began += 1));
  }
  expect(began).toBe(3);
});

import type { Request } from 'express';
import { setTimeout as sleep } from 'node:timers/promises';
import { LargeBodies } from './large-bodies';

const from = (ip: string) => ({ headers: {}, socket: { remoteAddress: ip } }) as Request;
const busyFor = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

it('leaves the event loop to others after each large body, for as long as that had it', async () => {
  const bodies = new LargeBodies();
  let others = 0;
  const tick = setInterval(() => (others += 1), 1);
  const between: number[] = [];
  await Promise.all(
    [1, 2, 3].map(async () => {
      await bodies.wait(from('192.0.2.1'));
      between.push(others);
      busyFor(30);
    }),
  );
  clearInterval(tick);
  const [first, second, third] = between as [number, number, number];
  expect(second - first).toBeGreaterThan(3);
  expect(third - second).toBeGreaterThan(3);
});

it('goes round networks', async () => {
  const bodies = new LargeBodies();
  const order: string[] = [];
  const all = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '198.51.100.1'].map(async (ip, n) => {
    await bodies.wait(from(ip));
    order.push(`${ip} ${n}`);
  });
  await Promise.all(all);
  expect(order).toEqual(['192.0.2.1 0', '192.0.2.1 1', '198.51.100.1 3', '192.0.2.1 2']);
  await sleep(10);
  await bodies.wait(from('192.0.2.1'));
});

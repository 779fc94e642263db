import { Unavailable } from '../../common/problem';
import { ConnectionShares, type Kind } from './connection-shares';

const SOON = () => performance.now() + 10_000;

/** Of so many that ask, how many have a place at once, and how each of them leaves. */
async function crowd(shares: ConnectionShares, kind: Kind, size: number) {
  const inside: (() => void)[] = [];
  for (let n = 0; n < size; n++) {
    shares.enter(kind, performance.now() + 100).then(
      (leave) => inside.push(leave),
      () => undefined,
    );
  }
  await Promise.resolve();
  return inside;
}

it.each(['read', 'list', 'usual', 'bulk'] as const)(
  'leaves places to others when there is much of %s',
  async (kind) => {
    const shares = new ConnectionShares(10);
    const inside = await crowd(shares, kind, 20);
    expect(inside.length).toBeLessThan(10);
    for (const other of kind === 'usual' ? (['read', 'urgent'] as const) : (['read', 'usual', 'urgent'] as const)) {
      if (other !== kind) {
        const [leave] = await crowd(shares, other, 1);
        expect(leave).toBeDefined();
        leave!();
      }
    }
  },
);

it('gives places that become free to each kind in turn, to urgent work first', async () => {
  const shares = new ConnectionShares(2);
  const leaveUsual = await shares.enter('usual', SOON());
  const leaveRead = await shares.enter('read', SOON());
  const order: Kind[] = [];
  const all = (['read', 'read', 'usual', 'usual', 'urgent'] as const).map(async (kind) => {
    const leave = await shares.enter(kind, SOON());
    order.push(kind);
    leave();
  });
  leaveUsual();
  await Promise.resolve();
  leaveRead();
  await Promise.all(all);
  expect(order).toEqual(['urgent', 'usual', 'read', 'usual', 'read']);
});

it('gives kinds that crowd equal parts, however long each holds a connection', async () => {
  const shares = new ConnectionShares(10);
  const held = { read: 0, usual: 0 };
  const ask = async (kind: 'read' | 'usual', turns: number) => {
    while (held.read + held.usual < 5_000) {
      const leave = await shares.enter(kind, SOON());
      for (let turn = 0; turn < turns; turn++) {
        held[kind] += 1;
        await new Promise(setImmediate);
      }
      leave();
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, n) => (n % 2 === 0 ? ask('read', 1) : ask('usual', 3))));
  expect(held.usual / held.read).toBeCloseTo(1, 1);
});

it('lets nobody wait beyond his time', async () => {
  const shares = new ConnectionShares(1);
  const leave = await shares.enter('usual', SOON());
  await expect(shares.enter('read', performance.now() + 10)).rejects.toThrow(Unavailable);
  leave();
  await expect(shares.enter('read', SOON())).resolves.toBeInstanceOf(Function);
});

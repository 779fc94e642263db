import * as os from 'node:os';
import { Overloaded } from '../common/problem';
import { HashQueue } from './hash-queue';

jest.mock('node:os', () => ({ ...jest.requireActual<typeof os>('node:os'), availableParallelism: jest.fn() }));

const cores = (count: number) => jest.mocked(os.availableParallelism).mockReturnValue(count);
const queueOn = (count: number, limits = { logIns: 100, bulk: 100 }, processes = 1) => {
  cores(count);
  return new HashQueue(limits, processes);
};

/** Work that notes when it begins, and ends when it is told to. */
class Works {
  begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  work = (name: string) => () =>
    new Promise<string>((end) => {
      this.begun.push(name);
      this.ends.set(name, () => end(name));
    });

  list = (name: string, count: number) => Array.from({ length: count }, (_, n) => this.work(`${name}${n}`));

  async end(name: string): Promise<void> {
    await settled();
    this.ends.get(name)!();
    await settled();
  }
}

const settled = () => new Promise(setImmediate);

let works: Works;
beforeEach(() => (works = new Works()));

it.each([
  [1, 1, 1],
  [2, 1, 1],
  [4, 1, 3],
  [8, 2, 3],
  [2, 4, 1],
])('on %d cores, in each of %d processes, runs %d at a time', async (count, processes, places) => {
  void queueOn(count, undefined, processes).bulk(works.list('a', 10));
  await settled();
  expect(works.begun).toHaveLength(places);
});

it('answers the results in order, whatever the order they come in', async () => {
  const results = queueOn(4).bulk(works.list('a', 3));
  await works.end('a2');
  await works.end('a0');
  await works.end('a1');
  expect(await results).toEqual(['a0', 'a1', 'a2']);
  expect(await queueOn(2).bulk([])).toEqual([]);
});

it('lets log-ins go before bulk work, and bulk requests take turns', async () => {
  const queue = queueOn(2);
  void queue.bulk(works.list('a', 3));
  void queue.bulk(works.list('b', 2));
  void queue.logIn('tess', works.work('log-in'));
  for (const name of ['a0', 'log-in', 'a1', 'b0', 'a2']) {
    await works.end(name);
  }
  expect(works.begun).toEqual(['a0', 'log-in', 'a1', 'b0', 'a2', 'b1']);
});

it('leaves one turn in ten to bulk work, however many log-ins there are', async () => {
  const queue = queueOn(2);
  void queue.bulk(works.list('bulk', 3));
  for (let n = 0; n < 25; n++) {
    void queue.logIn(`user${n}`, works.work(`log-in${n}`));
  }
  for (let n = 0; n < 24; n++) {
    await works.end(works.begun[n] ?? 'bulk0');
  }
  const turns = works.begun.map((name) => name.startsWith('bulk'));
  expect(turns.flatMap((isBulk, turn) => (isBulk ? [turn] : []))).toEqual([0, 10, 20]);
});

it('serves one log-in of an account at a time, and others meanwhile', async () => {
  const queue = queueOn(3);
  void queue.logIn('tess', works.work('tess1'));
  void queue.logIn('tess', works.work('tess2'));
  void queue.logIn('tom', works.work('tom'));
  await settled();
  expect(works.begun).toEqual(['tess1', 'tom']);
  await works.end('tom');
  expect(works.begun).toEqual(['tess1', 'tom']);
  await works.end('tess1');
  expect(works.begun).toEqual(['tess1', 'tom', 'tess2']);
});

it('goes on after work that failed', async () => {
  const queue = queueOn(2);
  await expect(queue.logIn('tess', () => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
  expect(await queue.logIn('tess', () => Promise.resolve('next'))).toBe('next');
});

it('drops what waits for a client that has gone, and nothing else', async () => {
  const queue = queueOn(2);
  const client = new AbortController();
  const gone = queue.bulk(works.list('gone', 5), client.signal);
  const stays = queue.bulk(works.list('stays', 1));
  client.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  expect(queue.waiting).toEqual({ logIns: 0, bulk: 1 });
  await works.end('gone0');
  await works.end('stays0');
  expect(await stays).toEqual(['stays0']);
  expect(works.begun).toEqual(['gone0', 'stays0']);
  await expect(queue.logIn('tess', works.work('late'), client.signal)).rejects.toThrow('gone');
});

it('refuses what exceeds its limits, counted in hashes, and says when to come back', async () => {
  const queue = queueOn(2, { logIns: 1, bulk: 4 });
  void queue.bulk(works.list('large', 10));
  await expect(queue.bulk(works.list('b', 1))).rejects.toThrow(Overloaded);
  void queue.logIn('a', works.work('a'));
  const refused = await queue.logIn('b', works.work('b')).catch((error: Overloaded) => error);
  expect(refused).toMatchObject({ extra: { headers: { 'Retry-After': '1' } } });
  expect(queue.waiting).toEqual({ logIns: 1, bulk: 9 });
});

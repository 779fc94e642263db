import { Overloaded } from '../../platform/common/problem';
import { HashQueue } from './hash-queue';

const queueOn = (cores: number, limits = { logIns: 1_000, bulk: 1_000 }) => new HashQueue(limits, () => cores);

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

  /** Ends one after the other, in the order in which they begin, and answers that order. */
  async endAll(): Promise<string[]> {
    for (let n = 0; await settled(), n < this.begun.length; n++) {
      await this.end(this.begun[n]!);
    }
    return this.begun;
  }
}

const settled = () => new Promise(setImmediate);

let works: Works;
beforeEach(() => (works = new Works()));

/** Log-ins whose attempts do nothing but hash. */
const logIn = (queue: HashQueue, account: string, name = account, network = account, signal?: AbortSignal) =>
  queue.logIn(account, network, () => queue.hash(network, works.work(name)), signal);

const refusals = async (answers: Promise<unknown>[]) => {
  const settledAnswers = await Promise.allSettled(answers);
  return settledAnswers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
};

it.each([1, 2, 3])('runs as many hashes at a time as there are cores: %d', async (cores) => {
  void queueOn(cores).bulk('a', works.list('a', 10));
  await settled();
  expect(works.begun).toHaveLength(cores);
});

it('gives the event loop a core back at the next turn when it needs one', async () => {
  let cores = 2;
  void new HashQueue({ logIns: 10, bulk: 10 }, () => cores).bulk('a', works.list('a', 4));
  await settled();
  cores = 1;
  await works.end('a0');
  expect(works.begun).toEqual(['a0', 'a1']);
  await works.end('a1');
  expect(works.begun).toEqual(['a0', 'a1', 'a2']);
});

it('answers the results in order, whatever the order they come in', async () => {
  const results = queueOn(3).bulk('a', works.list('a', 3));
  await works.end('a2');
  await works.end('a0');
  await works.end('a1');
  expect(await results).toEqual(['a0', 'a1', 'a2']);
  expect(await queueOn(2).bulk('a', [])).toEqual([]);
});

describe('turns go round', () => {
  it('the bulk requests of a network', async () => {
    const queue = queueOn(1);
    void queue.bulk('net', works.list('a', 3));
    void queue.bulk('net', works.list('b', 2));
    expect(await works.endAll()).toEqual(['a0', 'b0', 'a1', 'b1', 'a2']);
  });

  it('the networks, however many bulk requests one of them sends', async () => {
    const queue = queueOn(1);
    for (let n = 0; n < 10; n++) {
      void queue.bulk('many', works.list(`many${n}.`, 2));
    }
    void queue.bulk('other', works.list('other', 3));
    const begun = await works.endAll();
    expect(begun.map((name, turn) => (name.startsWith('other') ? turn : -1)).filter((turn) => turn >= 0)).toEqual([
      2, 4, 6,
    ]);
  });

  it('the networks, however many accounts one of them tries', async () => {
    const queue = queueOn(1);
    for (let n = 0; n < 100; n++) {
      void logIn(queue, `guess${n}`, undefined, 'many');
    }
    void logIn(queue, 'tess', undefined, 'other');
    // Behind those that were under way when it came, and one more.
    expect((await works.endAll()).indexOf('tess')).toBeLessThanOrEqual(4);
  });

  it('the networks that try one account', async () => {
    const queue = queueOn(1);
    for (let n = 0; n < 50; n++) {
      void logIn(queue, 'tess', `guess${n}`, 'many');
    }
    void logIn(queue, 'tess', 'owner', 'other');
    expect((await works.endAll()).indexOf('owner')).toBe(2);
  });
});

it('lets log-ins go before bulk work', async () => {
  const queue = queueOn(1);
  void queue.bulk('a', works.list('a', 3));
  void logIn(queue, 'tess');
  expect(await works.endAll()).toEqual(['a0', 'tess', 'a1', 'a2']);
});

it('leaves one turn in ten to bulk work, however many log-ins there are', async () => {
  const queue = queueOn(1);
  void queue.bulk('a', works.list('bulk', 3));
  for (let n = 0; n < 25; n++) {
    void logIn(queue, `user${n}`);
  }
  const turns = (await works.endAll()).map((name) => name.startsWith('bulk'));
  expect(turns.flatMap((isBulk, turn) => (isBulk ? [turn] : []))).toEqual([0, 10, 20]);
});

it('serves one log-in of an account at a time, and others meanwhile', async () => {
  const queue = queueOn(2);
  void logIn(queue, 'tess', 'tess1');
  void logIn(queue, 'tess', 'tess2');
  void logIn(queue, 'tom');
  await settled();
  expect(works.begun).toEqual(['tess1', 'tom']);
  await works.end('tom');
  expect(works.begun).toEqual(['tess1', 'tom']);
  await works.end('tess1');
  expect(works.begun).toEqual(['tess1', 'tom', 'tess2']);
});

it('prepares more log-ins than it hashes, so that no core waits for the database', async () => {
  const queue = queueOn(2);
  let prepared = 0;
  for (let n = 0; n < 10; n++) {
    void queue.logIn(`${n}`, 'net', () => {
      prepared += 1;
      return queue.hash('net', works.work(`${n}`));
    });
  }
  await settled();
  expect([prepared, works.begun.length]).toEqual([4, 2]);
});

it('tells of a hash that fails when the last of its request has ended', async () => {
  const queue = queueOn(1);
  const failing = [() => Promise.reject(new Error('on purpose')), ...works.list('a', 1)];
  const refused = refusals([queue.bulk('a', failing)]);
  await works.end('a0');
  expect(await refused).toEqual([new Error('on purpose')]);
  expect(queue.underWay.bulk).toBe(0);
});

it('goes on after work that failed', async () => {
  const queue = queueOn(1);

  await expect(queue.logIn('tess', 'a', () => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose');
  expect(await queue.logIn('tess', 'a', () => queue.hash('a', () => Promise.resolve('next')))).toBe('next');
  expect(queue.underWay).toEqual({ logIns: 0, bulk: 0 });
});

it('drops what waits for a client that has gone, and nothing else', async () => {
  const queue = queueOn(1);
  const client = new AbortController();
  const gone = queue.bulk('a', works.list('gone', 5), client.signal);
  const stays = queue.bulk('a', works.list('stays', 1));
  client.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  expect(queue.underWay).toEqual({ logIns: 0, bulk: 2 });
  expect(await works.endAll()).toEqual(['gone0', 'stays0']);
  expect(await stays).toEqual(['stays0']);
  await expect(logIn(queue, 'tess', 'late', 'a', client.signal)).rejects.toThrow('gone');
  expect(queue.underWay).toEqual({ logIns: 0, bulk: 0 });
});

it('drops a log-in that waits for its account or for its turn when its client goes', async () => {
  const queue = queueOn(1);
  const client = new AbortController();
  const stay = ['tess', 'b', 'c'].map((account) => logIn(queue, account));
  const gone = [logIn(queue, 'tess', 'gone', 'tess', client.signal), logIn(queue, 'd', 'gone', 'd', client.signal)];
  client.abort(new Error('gone'));
  expect(await refusals(gone)).toHaveLength(2);
  expect(await works.endAll()).toEqual(['tess', 'b', 'c']);
  expect(await Promise.all(stay)).toHaveLength(3);
  expect(queue.underWay.logIns).toBe(0);
});

describe('refuses, and says when to come back,', () => {
  it('a network that has as much under way as is left for all others', async () => {
    const queue = queueOn(1, { logIns: 100, bulk: 100 });
    const many = Array.from({ length: 100 }, (_, n) => logIn(queue, `guess${n}`, undefined, 'many'));
    const others = Array.from({ length: 10 }, (_, n) => logIn(queue, `user${n}`));
    const [refused, hit] = [refusals(many), refusals(others)];
    await works.endAll();
    expect(await refused).toHaveLength(50);
    expect((await refused)[0]).toBeInstanceOf(Overloaded);
    expect((await refused)[0]).toMatchObject({ extra: { headers: { 'Retry-After': '1' } } });
    expect(await hit).toEqual([]);
  });

  it('a network that tries one account 65 times at once, and it alone', async () => {
    const queue = queueOn(1);
    const many = Array.from({ length: 300 }, (_, n) => logIn(queue, 'tess', `tess${n}`, 'many'));
    const others = [logIn(queue, 'tess', 'owner', 'other'), logIn(queue, 'tom', undefined, 'many')];
    const [refused, hit] = [refusals(many), refusals(others)];
    await works.endAll();
    expect(await refused).toHaveLength(300 - 64);
    expect(await hit).toEqual([]);
  });

  it('bulk requests beyond the share of their network, counted in hashes', async () => {
    const queue = queueOn(1, { logIns: 1, bulk: 100 });
    const large = queue.bulk('a', works.list('large', 150));
    const refused = [queue.bulk('a', works.list('b', 1)), queue.bulk('b', works.list('c', 1))];
    expect(await refusals(refused)).toHaveLength(2);
    await works.endAll();
    expect(await large).toHaveLength(150);
    const [half, more, other] = ['a', 'a', 'b'].map((network) => queue.bulk(network, works.list(network, 30)));
    await expect(more).rejects.toThrow(Overloaded);
    await works.endAll();
    expect(await Promise.all([half, other])).toHaveLength(2);
  });

  it('never later than in a minute', async () => {
    const queue = queueOn(1, { logIns: 1, bulk: 100 });
    void queue.bulk('a', works.list('a', 10_000));
    const [refused] = await refusals([queue.bulk('b', works.list('b', 1))]);
    expect(refused).toMatchObject({ extra: { headers: { 'Retry-After': '60' } } });
  });
});

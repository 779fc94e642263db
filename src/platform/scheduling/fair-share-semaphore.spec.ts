import { FairShareSemaphore } from './fair-share-semaphore';

const { signal } = new AbortController();
let semaphore: FairShareSemaphore;
let inside: string[];
beforeEach(() => {
  semaphore = new FairShareSemaphore(4);
  inside = [];
});

const enter = (key: string, until = signal) => semaphore.acquire(key, until).then(() => inside.push(key));
const settled = () => new Promise(setImmediate);

it('gives one key half of the places, and lets others in past its queue', async () => {
  ['a', 'a', 'a', 'a', 'b'].forEach((key) => void enter(key));
  await settled();
  expect(inside).toEqual(['a', 'a', 'b']);
});

it('lets keys in by turns when places become free', async () => {
  ['a', 'a', 'b', 'a', 'a', 'c', 'c'].forEach((key) => void enter(key));
  await settled();
  expect(inside).toEqual(['a', 'a', 'b', 'c']);
  ['a', 'a', 'b', 'c'].forEach((key) => semaphore.release(key));
  await settled();
  expect(inside).toEqual(['a', 'a', 'b', 'c', 'a', 'c']);
});

it('gives no place to whoever has left, and throws the reason', async () => {
  const leaver = new AbortController();
  ['a', 'a'].forEach((key) => void enter(key));
  const waiting = enter('a', leaver.signal);
  leaver.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
  await expect(enter('b', leaver.signal)).rejects.toThrow('left');
  semaphore.release('a');
  ['b'].forEach((key) => void enter(key));
  await settled();
  expect(inside).toEqual(['a', 'a', 'b']);
});

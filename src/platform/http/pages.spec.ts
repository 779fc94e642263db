import { readPage, wholly, type Found, type Page } from './pages';

const LARGE = 2 * 1_048_576;

/** A table that changes after it was seen which rows are in it. */
function tableOf(ids: number[], change: (ids: number[]) => void = () => undefined) {
  return ({ after, limit }: Page): Promise<Found<number>> => {
    const rows = ids.filter((id) => id > after).slice(0, limit);
    change(ids);
    return Promise.resolve({
      rows: rows.map((id) => ({ id, bytes: LARGE / 2 })),
      read: (some) => Promise.resolve(ids.filter((id) => some.includes(id))),
    });
  };
}

const remove = (gone: number) => (ids: number[]) => void ids.splice(ids.indexOf(gone), 1);

it('leaves out what is deleted while it is read, and goes on behind it', async () => {
  expect(await readPage(tableOf([1, 2, 3, 4, 5], remove(1)), 0, 2)).toEqual({ things: [2], next: 2 });
  expect(await readPage(tableOf([1, 2, 3, 4, 5], remove(2)), 0, 2)).toEqual({ things: [1], next: 2 });
});

it('does not take in what comes while it is read', async () => {
  const add = (ids: number[]) => void ids.splice(1, 0, 2);
  expect(await readPage(tableOf([1, 3, 4], add), 0, 2)).toEqual({ things: [1, 3], next: 3 });
});

it('ends when nothing is left, and when all were seen', async () => {
  expect(await readPage(tableOf([]), 0, 2)).toEqual({ things: [], next: undefined });
  expect(await readPage(tableOf([1, 2]), 0, 2)).toEqual({ things: [1, 2], next: undefined });
});

it('ends when it is full by bytes, with one thing at least', async () => {
  expect(await readPage(tableOf([1, 2, 3, 4]), 0, 10)).toEqual({ things: [1, 2], next: 2 });
  const large = () => Promise.resolve(wholly([1, 2].map((id) => ({ id, text: 'x'.repeat(LARGE) }))));
  expect((await readPage(large, 0, 10)).next).toBe(1);
});

it('reads nothing to answer HEAD', async () => {
  expect(await readPage(tableOf([1, 2, 3]), 0, 2, true)).toEqual({ things: [], next: 2 });
});

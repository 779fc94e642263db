import fc from 'fast-check';
import type { Response as Answer } from 'supertest';
import { startApp, tokenFor, type RunningApp } from './support/start-app';

/*
 * Lists of pets, page by page.
 */

interface Listed {
  id: number;
}

let running: RunningApp;
let token: string;
beforeAll(async () => {
  running = await startApp();
});
beforeEach(async () => {
  await running.empty();
  token = await tokenFor(running);
});
afterAll(() => running.stop());

const bearer = () => ({ Authorization: `Bearer ${token}` });
const create = async (pet: object) =>
  (await running.http.post('/v1/pet').send({ name: 'Rex', ...pet })).body.id as number;
const add = async (pet: object) =>
  (
    await running.http
      .post('/v2/pet')
      .send({ name: 'Rex', photoUrls: [], ...pet })
      .expect(200)
  ).body.id as number;
const idsOf = (pets: Listed[]) => pets.map(({ id }) => id);

/** The ids of each page, from the address of the first one. */
async function walk(first: string): Promise<number[][]> {
  const pages: number[][] = [];
  for (let path: string | undefined = first; path !== undefined;) {
    const answer: Answer = await running.http.get(path).expect(200);
    pages.push(idsOf(answer.body as Listed[]));
    const link: string | undefined = answer.headers.link;
    path = link === undefined ? undefined : /^<(\/v[12]\/[^>]+)>; rel="next"$/.exec(link)![1];
  }
  return pages;
}

describe('GET /v1/pet', () => {
  it('answers all pets in order of their ids, page by page, and a Link where more follows', async () => {
    expect(await walk('/v1/pet')).toEqual([[]]);
    const ids = await Promise.all(Array.from({ length: 7 }, () => create({})));
    ids.sort((a, b) => a - b);
    expect(await walk('/v1/pet')).toEqual([ids]);
    expect(await walk('/v1/pet?limit=7')).toEqual([ids]);
    expect(await walk('/v1/pet?limit=3')).toEqual([ids.slice(0, 3), ids.slice(3, 6), ids.slice(6)]);
    expect(await walk('/v1/pet?limit=1')).toEqual(ids.map((id) => [id]));
  });

  it('has pages of 100, and at most of 1,000', async () => {
    await running.database.write((manager) =>
      manager.query(
        `INSERT INTO pet (id, version, name) VALUES ${Array.from({ length: 1_001 }, (_, n) => `(${n + 1}, 1, 'Rex')`).join()}`,
      ),
    );
    expect((await walk('/v1/pet')).map((page) => page.length)).toEqual([...Array<number>(10).fill(100), 1]);
    expect((await walk('/v1/pet?limit=1000')).map((page) => page.length)).toEqual([1_000, 1]);
    for (const limit of ['0', '1001', '-1', '1.5', 'x', '', '1&limit=2']) {
      const { body } = await running.http.get(`/v1/pet?limit=${limit}`).expect(400);
      expect(body).toMatchObject({ type: '/problems/validation-failed', errors: [{ pointer: 'limit' }] });
    }
  });

  it('answers those that have all of the members that are asked for', async () => {
    const members = ['owner_id', 'species', 'breed'] as const;
    const values = ['a', 'b & ü', ''];
    const pets = values.flatMap((owner_id) =>
      values.flatMap((species) => values.map((breed) => ({ id: 0, owner_id, species, breed }))),
    );
    for (const pet of pets) {
      pet.id = await create(pet);
    }
    await create({});
    for (let chosen = 0; chosen < 8; chosen++) {
      const asked = members.filter((_, n) => chosen & (1 << n)).map((name, n) => [name, values[n]!] as const);
      const query = new URLSearchParams([
        ...asked.map(([name, value]) => [name, value] as [string, string]),
        ['limit', '2'],
      ]);
      const expected = pets.filter((pet) => asked.every(([name, value]) => pet[name] === value));
      if (asked.length > 0) {
        expect((await walk(`/v1/pet?${query.toString()}`)).flat()).toEqual(idsOf(expected));
      }
    }
    expect((await walk('/v1/pet?owner_id=nobody')).flat()).toEqual([]);
  });

  it('answers exactly what GET answers of each', async () => {
    const id = await create({ owner: { id: 'o-1', name: 'Ann' }, breed: 'Beagle' });
    const { body } = await running.http.get(`/v1/pet/${id}`);
    const list = await running.http.get('/v1/pet?breed=Beagle').expect(200);
    expect(list.body).toEqual([body]);
    expect(list.headers).not.toHaveProperty('etag');
    const head = await running.http.head('/v1/pet?limit=1&breed=Beagle').expect(200);
    expect(head.headers).not.toHaveProperty('content-length');
    expect(head.headers['content-type']).toBe(list.headers['content-type']);
  });

  it.each(['owner_id=a&owner_id=b', 'species=%00', `breed=${'x'.repeat(256)}`])('answers 400 to %s', async (query) => {
    const { body } = await running.http.get(`/v1/pet?${query}`).expect(400);
    expect(body.errors).toMatchObject([{ pointer: query.slice(0, query.indexOf('=')) }]);
  });
});

describe('GET /v2/pet/findByStatus', () => {
  it('answers those that have any of the statuses, however they are listed', async () => {
    const ids: Record<string, number[]> = { available: [], pending: [], sold: [] };
    for (let n = 0; n < 9; n++) {
      const status = ['available', 'pending', 'sold'][n % 3]!;
      ids[status]!.push(await add({ status }));
    }
    await add({});
    const of = (...statuses: string[]) => statuses.flatMap((status) => ids[status]!).sort((a, b) => a - b);
    for (const [query, expected] of [
      ['', of('available')],
      ['status=sold', of('sold')],
      ['status=sold&status=available', of('available', 'sold')],
      ['status=available,pending', of('available', 'pending')],
      ['status=available,pending&status=sold&status=sold', of('available', 'pending', 'sold')],
    ] as const) {
      expect((await walk(`/v2/pet/findByStatus?${query}&limit=2`)).flat()).toEqual(expected);
    }
  });

  it.each(['status=', 'status=lost', 'status=sold,', 'status=sold&status=lost', 'status=SOLD'])(
    'answers 400 to %j',
    async (query) => {
      const { body } = await running.http.get(`/v2/pet/findByStatus?${query}`).expect(400);
      expect(body).toMatchObject({ type: '/problems/validation-failed', errors: [{ pointer: 'status' }] });
    },
  );
});

describe('GET /v2/pet/findByTags', () => {
  it('answers those that have any of the tags, each once, with all of its tags', async () => {
    const [a, b] = [{ id: 1, name: 'a' }, { name: 'b c' }];
    const first = await add({ tags: [a, b, a, { id: 2, name: 'a' }] });
    const second = await add({ tags: [b, { id: 9 }] });
    await add({ tags: [{ name: 'A' }, { name: '' }, { id: 1 }] });
    await add({ tags: [] });
    const third = await add({ tags: Array(100).fill(a) });
    expect((await walk('/v2/pet/findByTags?tags=a&limit=1')).flat()).toEqual([first, third]);
    expect((await walk('/v2/pet/findByTags?tags=a,b%20c&limit=2')).flat()).toEqual([first, second, third]);
    expect((await walk('/v2/pet/findByTags?tags=b+c&tags=x')).flat()).toEqual([first, second]);
    const { body } = await running.http.get('/v2/pet/findByTags?tags=b%20c').expect(200);
    expect(body).toEqual([
      { id: first, name: 'Rex', photoUrls: [], tags: [a, b, a, { id: 2, name: 'a' }] },
      { id: second, name: 'Rex', photoUrls: [], tags: [b, { id: 9 }] },
    ]);
  });

  it('takes a hundred tags', async () => {
    const id = await add({ tags: [{ name: 't99' }] });
    const tags = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`).join();
    expect((await walk(`/v2/pet/findByTags?tags=${tags(100)}`)).flat()).toEqual([id]);
    await running.http.get(`/v2/pet/findByTags?tags=${tags(101)}`).expect(400);
  });

  it('follows the tags as they change', async () => {
    const id = await add({ tags: [{ name: 'old' }] });
    const put = (tags?: object[]) =>
      running.http.put('/v2/pet').set(bearer()).send({ id, name: 'Rex', photoUrls: [], tags }).expect(200);
    for (const [tags, found] of [
      [[{ name: 'new' }], ['new']],
      [
        [{ name: 'new' }, { name: 'old' }],
        ['new', 'old'],
      ],
      [undefined, []],
    ] as const) {
      await put(tags && [...tags]);
      for (const name of ['old', 'new']) {
        expect((await walk(`/v2/pet/findByTags?tags=${name}`)).flat()).toEqual(
          (found as readonly string[]).includes(name) ? [id] : [],
        );
      }
    }
  });

  it('finds a tag that holds a comma where the parameter is given more than once', async () => {
    const both = await add({ tags: [{ name: 'a,b' }] });
    const next = await add({ tags: [{ name: 'a,b' }, { name: 'c' }] });
    await add({ tags: [{ name: 'a' }, { name: 'b' }] });
    expect((await walk('/v2/pet/findByTags?tags=a,b&tags=a,b&limit=1')).flat()).toEqual([both, next]);
    expect((await walk('/v2/pet/findByTags?tags=a,b&tags=c&limit=1')).flat()).toEqual([both, next]);
  });

  it('refuses, on the first page too, what would make a Link of more than 4 KiB', async () => {
    const tags = (count: number) => Array.from({ length: count }, (_, n) => `tags=${n}-${'x'.repeat(200)}`).join('&');
    await running.http.get(`/v2/pet/findByTags?${tags(15)}`).expect(200);
    const { body } = await running.http.get(`/v2/pet/findByTags?${tags(25)}`).expect(400);
    expect(body.errors).toMatchObject([{ pointer: 'tags', detail: expect.stringContaining('4096') as string }]);
  });

  it.each(['', 'tags=', 'tags=a,', 'tags=%00'])('answers 400 to %j', async (query) => {
    const { body } = await running.http.get(`/v2/pet/findByTags?${query}`).expect(400);
    expect(body.errors).toMatchObject([{ pointer: 'tags' }]);
  });
});

describe('a page of large pets', () => {
  const photoUrls = Array<string>(100).fill('x'.repeat(2_000));
  const tags = Array.from({ length: 100 }, (_, id) => ({ id, name: '\u{1f436}'.repeat(254) }));
  const lists = ['/v2/pet/findByStatus?status=sold&limit=1000', `/v2/pet/findByTags?tags=a&limit=1000`];

  it('ends when it has its bytes, has one pet at least, and its Link goes on; HEAD says the same', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 30; n++) {
      const large = { 0: { photoUrls }, 1: { tags: [...tags.slice(1), { name: 'a' }] }, 2: {} }[n % 3];
      ids.push(await add({ status: 'sold', tags: [{ name: 'a' }], ...large }));
    }
    for (const list of lists) {
      const pages = await walk(list);
      expect(pages.flat()).toEqual(ids);
      expect(pages.map((page) => page.length)).toEqual([19, 11]);
      const [get, head] = [await running.http.get(list), await running.http.head(list)];
      expect(get.text.length).toBeLessThan(2.1 * 1_048_576);
      expect(head.headers.link).toBe(get.headers.link);
      const whole = await running.http.get(`/v2/pet/${ids[0]}`);
      expect((get.body as Listed[])[0]).toEqual(whole.body);
    }
  });

  it('ends when it has its bytes also where rows are larger than any rule permits, as a handed-in backup has them', async () => {
    const name = 'x'.repeat(1_000_000);
    for (const id of [1, 2, 3, 4, 5]) {
      await running.database.write(
        (manager) =>
          manager.sql`INSERT INTO "pet" ("id", "version", "name", "species") VALUES (${id}, 1, ${name}, 'dog')`,
      );
    }
    for (const list of ['/v1/pet', '/v1/pet?species=dog']) {
      expect(await walk(list)).toEqual([[1, 2], [3, 4], [5]]);
    }
  });

  it('answers exactly what GET answers of each', async () => {
    const id = await add({ status: 'sold', photoUrls, tags });
    const { body } = await running.http.get(lists[0]!).expect(200);
    expect(body).toEqual([(await running.http.get(`/v2/pet/${id}`)).body]);
  });
});

describe('a cursor', () => {
  const cursorOf = async (path: string) => {
    const { headers } = await running.http.get(path).expect(200);
    return new URL(/<(.*)>/.exec(headers.link!)![1]!, running.url).searchParams.get('cursor')!;
  };
  beforeEach(async () => {
    for (const status of ['sold', 'sold', 'available']) {
      await add({ status, tags: [{ name: 'a' }] });
    }
  });

  it('may be followed with another limit, and with filters that mean the same', async () => {
    const cursor = await cursorOf('/v2/pet/findByStatus?status=sold,available&limit=1');
    const { body } = await running.http.get(
      `/v2/pet/findByStatus?status=available&status=sold&status=sold&limit=5&cursor=${cursor}`,
    );
    expect(body).toHaveLength(2);
  });

  it('is refused where it was tampered with, or belongs to another list', async () => {
    const cursor = await cursorOf('/v2/pet/findByStatus?status=sold&limit=1');
    const refused = async (path: string) => {
      const { body } = await running.http.get(path).expect(400);
      expect(body).toMatchObject({ type: '/problems/validation-failed', errors: [{ pointer: 'cursor' }] });
    };
    await running.http.get(`/v2/pet/findByStatus?status=sold&cursor=${cursor}`).expect(200);
    await refused(`/v2/pet/findByStatus?status=available&cursor=${cursor}`);
    await refused(`/v2/pet/findByTags?tags=sold&cursor=${cursor}`);
    await refused(`/v1/pet?cursor=${cursor}`);
    await refused(`/v1/pet?status=sold&cursor=${cursor}`);
    for (let at = 0; at < cursor.length; at++) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      await refused(`/v2/pet/findByStatus?status=sold&cursor=${cursor.slice(0, at)}${other}${cursor.slice(at + 1)}`);
    }
    for (const wrong of [
      '',
      'x',
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      `%20${cursor}`,
      `${cursor}&cursor=${cursor}`,
      '%00',
      '1',
      'null',
    ]) {
      await refused(`/v2/pet/findByStatus?status=sold&cursor=${wrong}`);
    }
  });

  it('stays good on another process', async () => {
    const cursor = await cursorOf('/v1/pet?limit=1');
    const other = await startApp();
    await other.http.get(`/v1/pet?cursor=${cursor}`).expect(200);
    await other.stop();
  });
});

it('meets every pet that exists throughout exactly once, whatever is written and deleted meanwhile', async () => {
  const status = fc.constantFrom('available', 'pending', 'sold');
  const write = fc.record({
    kind: fc.constantFrom('add', 'bring', 'delete', 'update', 'touch'),
    status,
    at: fc.nat(999),
  });
  const before = async () => {
    const ids = await Promise.all(
      Array.from({ length: 18 }, () => add({ status: 'sold', tags: [{ name: 'a' }, { name: 'b' }] })),
    );
    return ids.sort((a, b) => a - b);
  };
  const lists = ['/v1/pet?', '/v2/pet/findByStatus?status=sold,pending&', '/v2/pet/findByTags?tags=a,b&'];
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { minLength: 5, maxLength: 25 }),
      fc.integer({ min: 2, max: 7 }),
      async (writes, limit) => {
        // Every third of the pets stays as it is; the writers work on the others.
        const pets = await before();
        const staying = pets.filter((_, n) => n % 3 === 0);
        const others = pets.filter((_, n) => n % 3 !== 0);
        const work = async () => {
          for (const { kind, status, at } of writes) {
            const id = others[at % others.length]!;
            const body = { id, name: 'Max', photoUrls: [], status, tags: at % 2 ? [{ name: 'a' }] : undefined };
            const one = running.http;
            await {
              add: () => one.post('/v2/pet').send({ ...body, id: undefined }),
              bring: () => one.post('/v2/pet').send({ ...body, id: pets[0]! + 10_000 + at }),
              delete: () => one.delete(`/v2/pet/${id}`).set(bearer()),
              update: () => one.put('/v2/pet').set(bearer()).send(body),
              touch: () =>
                one
                  .put('/v2/pet')
                  .set(bearer())
                  .send({ ...body, id: staying[at % staying.length], status: 'sold', tags: [{ name: 'b' }] }),
            }[kind]();
          }
        };
        const [walks] = await Promise.all([Promise.all(lists.map((list) => walk(`${list}limit=${limit}`))), work()]);
        for (const met of walks.map((pages) => pages.flat())) {
          expect(new Set(met).size).toBe(met.length);
          expect(met).toEqual([...met].sort((a, b) => a - b));
          expect(met).toEqual(expect.arrayContaining(staying));
        }
      },
    ),
    { numRuns: 4 },
  );
});

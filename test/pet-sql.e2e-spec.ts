import { startApp, tokenFor, type RunningApp } from './support/start-app';

/*
 * The SQL that is written by hand stores and reads what TypeORM does with the entity.
 */

let running: RunningApp;
let token: string;
beforeAll(async () => {
  running = await startApp();
  token = await tokenFor(running);
});
afterAll(() => running.stop());

const nothing = {
  ownerId: null,
  owner: null,
  species: null,
  breed: null,
  category: null,
  photoUrls: null,
  tagCount: null,
  status: null,
};
const byTypeOrm = (id: number) => running.database.read((manager) => manager.findOneBy('pet', { id }));
const row = async (id: number) => {
  const [columns] = await running.query(`SELECT * FROM "pet" WHERE "id" = ${id}`);
  return { ...columns, id: 0, version: 0 };
};
/** Inserts the same pet with TypeORM, and says how both stand in the table. */
async function rows(id: number, entity: object) {
  const { identifiers } = await running.database.write((manager) => manager.insert('pet', { version: 5, ...entity }));
  return [await row(id), await row(identifiers[0]!.id as number)] as const;
}

it('creates the same row', async () => {
  const pet = {
    name: 'e\u0301 \u{1f436} "\\',
    owner_id: 'o',
    owner: { id: 'o', name: 'Ann' },
    species: '',
    breed: 'b',
  };
  const { body } = await running.http.post('/v1/pet').send(pet).expect(201);
  const { owner_id: ownerId, ...members } = pet;
  const entity = { ...nothing, ...members, ownerId };
  expect(await byTypeOrm(body.id as number)).toMatchObject(entity);
  const [ours, theirs] = await rows(body.id as number, entity);
  expect(ours).toEqual(theirs);
});

const v2 = {
  name: 'Rex',
  photoUrls: ['a', ''],
  category: { id: 1, name: 'dogs' },
  status: 'sold',
};

it.each([
  ['with a number of the server', {}, null],
  ['with its own id', { id: 4_711 }, null],
  ['with no tags, and a list of them', { tags: [] }, 0],
])('adds the same row %s', async (_, more, tagCount) => {
  const { body } = await running.http
    .post('/v2/pet')
    .send({ ...v2, ...more })
    .expect(200);
  const [ours, theirs] = await rows(body.id as number, { ...nothing, ...v2, tagCount });
  expect(ours).toEqual(theirs);
});

it('updates to the same row, and reads what TypeORM stored', async () => {
  const entity = { ...nothing, ...v2, ownerId: 'o', version: 5 };
  const { identifiers } = await running.database.write((manager) => manager.insert('pet', [entity, entity]));
  const [ours, theirs] = identifiers.map(({ id }) => id as number) as [number, number];
  expect((await running.http.get(`/v2/pet/${ours}`).expect(200)).body).toEqual({ id: ours, ...v2 });
  const change = { name: 'Max', photoUrls: [], category: { name: 'x' }, status: 'pending' };
  await running.http
    .put('/v2/pet')
    .set('Authorization', `Bearer ${token}`)
    .send({ id: ours, ...change })
    .expect(200);
  await running.database.write((manager) => manager.update('pet', { id: theirs }, { ...change, version: 6 }));
  expect({ ...(await byTypeOrm(ours)), id: 0 }).toEqual({ ...(await byTypeOrm(theirs)), id: 0 });
  expect(await row(ours)).toEqual(await row(theirs));
});

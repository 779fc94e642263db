import { strict as assert } from 'node:assert';
import createClient from 'openapi-fetch';
import type { paths } from './generated/service.js';
import { PHOTO } from './photo.js';

/** All operations through the client that openapi-typescript and openapi-fetch make of openapi.json. */
export async function walk(baseUrl: string, fetch = globalThis.fetch, takesBytes = true): Promise<void> {
  const client = createClient<paths>({ baseUrl, fetch });

  const pet = await client.POST('/v1/pet', {
    body: { name: 'Rex', owner: { id: 'o-1', name: 'Ann', species: 'human' }, breed: null },
  });
  assert.deepEqual(pet.data, {
    id: pet.data?.id,
    name: 'Rex',
    owner_id: 'o-1',
    owner: { id: 'o-1', name: 'Ann', species: 'human' },
  });
  const id: number = pet.data.id;

  const username = `tess-${Date.now()}`;
  const list = await client.POST('/v2/user/createWithList', { body: [{ username, password: 'correct horse' }] });
  assert.deepEqual([list.response.status, list.data], [200, undefined]);
  const array = await client.POST('/v2/user/createWithArray', { body: [{ firstName: 'Tom', userStatus: 1 }, {}] });
  assert.deepEqual([array.response.status, array.data], [200, undefined]);

  const again = await client.POST('/v2/user/createWithList', { body: [{ username }] });
  assert.equal(again.error?.type, '/problems/user-taken');
  assert.deepEqual(again.error?.errors, [{ pointer: '/0/username', detail: 'is taken' }]);

  const logIn = await client.GET('/v2/user/login', { params: { query: { username, password: 'correct horse' } } });
  const token: string = logIn.data!;
  const headers = { Authorization: `Bearer ${token}` };

  const update = (pet: number) =>
    client.PUT('/v2/pet', {
      headers,
      body: { id: pet, name: 'Max', photoUrls: ['https://pets.example/max.jpg'], tags: [{ id: 1 }], status: 'sold' },
    });
  const updated = await update(id);
  assert.deepEqual([updated.response.status, updated.data], [200, undefined]);
  const unknown = await update(Number.MAX_SAFE_INTEGER);
  assert.deepEqual([unknown.response.status, unknown.error?.type], [404, '/problems/pet-not-found']);

  await readAndFind(client, headers, id);
  if (takesBytes) {
    await uploadAndSee(client, headers, id);
  }
  await changeAndDelete(client, headers, id);
  await ownUser(client, headers, username);

  const logOut = await client.GET('/v2/user/logout', { headers });
  assert.deepEqual([logOut.response.status, logOut.data], [200, undefined]);
  const ended = await update(id);
  assert.deepEqual([ended.response.status, ended.error?.type], [401, '/problems/unauthorized']);
}

type Client = ReturnType<typeof createClient<paths>>;
type Headers = { Authorization: string };

async function readAndFind(client: Client, headers: Headers, petId: number): Promise<void> {
  const path = { petId };
  const v1 = await client.GET('/v1/pet/{petId}', { params: { path } });
  assert.equal(v1.data?.name, 'Max');
  const v2 = await client.GET('/v2/pet/{petId}', { headers, params: { path } });
  assert.deepEqual(v2.data?.tags, [{ id: 1 }]);
  const header = { 'If-None-Match': v2.response.headers.get('ETag')! };
  const unchanged = await client.GET('/v2/pet/{petId}', { headers, params: { path, header } });
  assert.equal(unchanged.response.status, 304);

  const added = await client.POST('/v2/pet', {
    headers,
    params: { header: { 'Idempotency-Key': `walk-${petId}` } },
    body: { name: 'Tom', photoUrls: [], tags: [{ name: `tag-${petId}` }] },
  });
  assert.equal(added.data?.name, 'Tom');
  const page = await client.GET('/v1/pet', { params: { query: { limit: 1, owner_id: 'o-1' } } });
  assert.equal(page.data?.length, 1);
  const sold = await client.GET('/v2/pet/findByStatus', { headers, params: { query: { status: ['sold'] } } });
  assert.ok(sold.data?.some(({ id }) => id === petId));
  const tagged = await client.GET('/v2/pet/findByTags', { headers, params: { query: { tags: [`tag-${petId}`] } } });
  assert.deepEqual(tagged.data, [added.data]);
}

async function uploadAndSee(client: Client, headers: Headers, petId: number): Promise<void> {
  const path = { petId };
  const file = PHOTO as unknown as string;
  const uploaded = await client.POST('/v2/pet/{petId}/uploadImage', {
    headers,
    params: { path },
    body: { file, additionalMetadata: 'In the garden' },
    bodySerializer: formOf,
  });
  const photo = uploaded.data!.photo;
  assert.deepEqual([photo.type, photo.width, photo.height], ['image/png', 1, 1]);
  assert.match(uploaded.data!.message, /^additionalMetadata: In the garden\nFile uploaded to /);
  const listed = await client.GET('/v2/pet/{petId}/photos', { headers, params: { path } });
  assert.deepEqual(listed.data, [photo]);
  const itself = { headers, params: { path: { petId, photoId: photo.id } } };
  const seen = await client.GET('/v2/pet/{petId}/photos/{photoId}', { ...itself, parseAs: 'blob' });
  assert.deepEqual([seen.response.status, (seen.data as unknown as Blob).size], [200, photo.bytes]);
  const deleted = await client.DELETE('/v2/pet/{petId}/photos/{photoId}', itself);
  assert.deepEqual([deleted.response.status, deleted.data], [200, undefined]);
}

function formOf(members: object | string): FormData {
  const form = new FormData();
  Object.entries(members).forEach(([name, value]) => form.append(name, value as Blob));
  return form;
}

async function changeAndDelete(client: Client, headers: Headers, petId: number): Promise<void> {
  const params = { path: { petId } };
  const form = await client.POST('/v2/pet/{petId}', {
    headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
    params,
    body: { name: 'Moritz', status: 'pending' },
  });
  assert.equal(form.response.status, 200);
  const changed = await client.GET('/v2/pet/{petId}', { headers, params });
  assert.deepEqual([changed.data?.name, changed.data?.status], ['Moritz', 'pending']);
  assert.equal((await client.DELETE('/v2/pet/{petId}', { headers, params })).response.status, 200);
  const gone = await client.GET('/v2/pet/{petId}', { headers, params });
  assert.deepEqual([gone.response.status, gone.error?.type], [404, '/problems/pet-not-found']);
}

async function ownUser(client: Client, headers: Headers, username: string): Promise<void> {
  const params = { path: { username } };
  assert.equal((await client.GET('/v2/user/{username}', { headers, params })).data?.username, username);
  const update = await client.PUT('/v2/user/{username}', { headers, params, body: { username, firstName: 'Tess' } });
  assert.equal(update.response.status, 200);

  const other = `${username}-2`;
  const created = await client.POST('/v2/user', { body: { username: other, password: 'correct horse' } });
  assert.equal(created.data?.username, other);
  const logIn = await client.POST('/v2/user/login', { body: { username: other, password: 'correct horse' } });
  const itself = { headers: { Authorization: `Bearer ${logIn.data!}` }, params: { path: { username: other } } };
  assert.equal((await client.GET('/v2/user/{username}', { headers, params: itself.params })).response.status, 403);
  assert.equal((await client.DELETE('/v2/user/{username}', itself)).response.status, 200);
  assert.equal((await client.GET('/v2/user/{username}', itself)).response.status, 401);
}

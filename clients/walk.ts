import { strict as assert } from 'node:assert';
import createClient from 'openapi-fetch';
import type { paths } from './generated/service.js';

/** All six operations through the client that openapi-typescript and openapi-fetch make of openapi.json. */
export async function walk(baseUrl: string, fetch = globalThis.fetch): Promise<void> {
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

  const logOut = await client.GET('/v2/user/logout', { headers });
  assert.deepEqual([logOut.response.status, logOut.data], [200, undefined]);
  const ended = await update(id);
  assert.deepEqual([ended.response.status, ended.error?.type], [401, '/problems/unauthorized']);
}

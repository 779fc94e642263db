import { strict as assert } from 'node:assert';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/petstore-3.js';
import { PHOTO, readBack } from './photo.js';

/** Pets and users through a client that knows nothing but the public Petstore document, version 3.0. */
export async function petstore3Walk(baseUrl: string): Promise<void> {
  const client = createClient<paths>({ baseUrl: `${baseUrl}/v2` });
  const status = ({ response }: { response: Response }) => response.status;

  const username = `new-${Date.now()}`;
  const user = { username, firstName: 'Nell', email: 'nell@mail.example', userStatus: 1 };
  const created = await client.POST('/user', { body: { id: 0, ...user, password: 'right' } });
  assert.deepEqual(created.data, { id: created.data?.id, ...user });
  assert.equal(status(await client.POST('/user/createWithList', { body: [{ firstName: 'Tom' }] })), 200);

  const logIn = () => client.GET('/user/login', { params: { query: { username, password: 'right' } } });
  let token = (await logIn()).data;
  client.use({ onRequest: ({ request }) => request.headers.set('Authorization', `Bearer ${token}`) });
  const self = { params: { path: { username } } };
  assert.deepEqual((await client.GET('/user/{username}', self)).data, created.data);

  const tag = { id: 1, name: `quick-${Date.now()}` };
  const added = await client.POST('/pet', { body: { name: 'Rex', photoUrls: [], tags: [tag] } });
  const id = added.data!.id!;
  const path = { petId: id };
  const read = async () => (await client.GET('/pet/{petId}', { params: { path } })).data;
  assert.deepEqual(await read(), { id, name: 'Rex', photoUrls: [], tags: [tag] });

  const category = { id: 1, name: 'dogs' };
  const pet: components['schemas']['Pet'] = {
    id,
    category,
    name: 'Max',
    photoUrls: ['x'],
    tags: [tag],
    status: 'sold',
  };
  assert.equal(status(await client.PUT('/pet', { body: pet })), 200);
  assert.equal(status(await client.PUT('/pet', { body: { ...pet, id: Number.MAX_SAFE_INTEGER } })), 404);
  const byStatus = await client.GET('/pet/findByStatus', { params: { query: { status: 'sold' } } });
  assert.deepEqual(
    byStatus.data?.filter((found) => found.id === id),
    [pet],
  );
  const byTags = await client.GET('/pet/findByTags', { params: { query: { tags: ['wild', tag.name] } } });
  assert.deepEqual(byTags.data, [pet]);

  const query = { name: 'Moritz', status: 'pending' };
  assert.equal(status(await client.POST('/pet/{petId}', { params: { path, query } })), 200);
  assert.deepEqual(await read(), { ...pet, ...query });

  const uploaded = await client.POST('/pet/{petId}/uploadImage', {
    params: { path, query: { additionalMetadata: 'In the garden' } },
    headers: { 'Content-Type': 'application/octet-stream' },
    body: PHOTO as unknown as string,
    bodySerializer: (body) => body as unknown as Blob,
  });
  assert.match(uploaded.data!.message!, /^additionalMetadata: In the garden\nFile uploaded to /);
  await readBack(baseUrl, (await read())!.photoUrls.at(-1)!);

  assert.equal(status(await client.DELETE('/pet/{petId}', { params: { path } })), 200);
  assert.equal(status(await client.GET('/pet/{petId}', { params: { path } })), 404);

  const changed = await client.PUT('/user/{username}', { ...self, body: { ...user, firstName: 'Nora' } });
  assert.equal(status(changed), 200);
  assert.equal((await client.GET('/user/{username}', self)).data?.firstName, 'Nora');

  assert.equal(status(await client.GET('/user/logout')), 200);
  assert.equal(status(await client.DELETE('/user/{username}', self)), 401);
  token = (await logIn()).data;
  assert.equal(status(await client.DELETE('/user/{username}', self)), 200);
  assert.equal(status(await logIn()), 401);
}

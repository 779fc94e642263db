import { strict as assert } from 'node:assert';
import { Api, ContentType } from './generated/petstore.js';
import { PHOTO, readBack } from './photo.js';

/** Pets and users through a client that knows nothing but the public Petstore document, version 2.0. */
export async function petstoreWalk(baseUrl: string): Promise<void> {
  const api = new Api<string>({
    baseUrl: `${baseUrl}/v2`,
    securityWorker: (token) => (token ? { headers: { Authorization: `Bearer ${token}` } } : {}),
  });
  // The document names no security for users.
  const secure = { secure: true };
  const refused = (call: Promise<unknown>, status: number) =>
    assert.rejects(call, (answer: Response) => answer.status === status);

  const username = `old-${Date.now()}`;
  const user = { id: 0, username, firstName: 'Old', email: 'old@mail.example', userStatus: 0 };
  assert.equal((await api.user.createUser({ ...user, password: 'right' })).status, 200);
  await refused(api.user.createUser(user), 409);
  assert.equal((await api.user.createUsersWithListInput([{ firstName: 'Tom' }])).status, 200);
  assert.equal((await api.user.createUsersWithArrayInput([{ phone: '+1 555 0100' }])).status, 200);

  const logIn = await api.user.loginUser({ username, password: 'right' });
  assert.ok(logIn.headers.get('X-Expires-After'));
  api.setSecurityData(logIn.data);
  const { id: userId, ...self } = (await api.user.getUserByName(username, secure)).data;
  assert.ok(userId);
  assert.deepEqual({ ...self, id: 0 }, user);

  const tag = { id: 1, name: `calm-${Date.now()}` };
  const added = await api.pet.addPet({ id: 0, name: 'Rex', photoUrls: [], tags: [tag] }, { format: 'json' });
  const { id } = added.data as { id: number };
  assert.deepEqual((await api.pet.getPetById(id)).data, { id, name: 'Rex', photoUrls: [], tags: [tag] });

  const category = { id: 1, name: 'dogs' };
  const pet = { id, category, name: 'Max', photoUrls: ['x'], tags: [tag], status: 'pending' as const };
  assert.equal((await api.pet.updatePet(pet)).status, 200);
  await refused(api.pet.updatePet({ ...pet, id: 0 }), 400);
  await refused(api.pet.updatePet({ ...pet, id: 4_711 }), 404);
  await refused(api.pet.updatePet({ ...pet, name: '' }), 405);
  const byStatus = await api.pet.findPetsByStatus({ status: ['available', 'pending'] });
  assert.deepEqual(
    byStatus.data.filter((found) => found.id === id),
    [pet],
  );
  assert.deepEqual((await api.pet.findPetsByTags({ tags: ['wild', tag.name] })).data, [pet]);

  // This generator sends multipart although the document says application/x-www-form-urlencoded.
  const form = { type: ContentType.UrlEncoded };
  assert.equal((await api.pet.updatePetWithForm(id, { name: 'Moritz', status: 'sold' }, form)).status, 200);
  assert.deepEqual((await api.pet.getPetById(id)).data, { ...pet, name: 'Moritz', status: 'sold' });

  const file = new File([PHOTO], 'max.png');
  const uploaded = await api.pet.uploadFile(id, { additionalMetadata: 'In the garden', file });
  assert.equal(uploaded.data.code, 200);
  assert.match(uploaded.data.message!, /^additionalMetadata: In the garden\nFile uploaded to \.\/max\.png, \d+ bytes$/);
  await readBack(baseUrl, (await api.pet.getPetById(id)).data.photoUrls.at(-1)!);

  assert.equal((await api.pet.deletePet(id)).status, 200);
  await refused(api.pet.getPetById(id), 404);
  await refused(api.pet.deletePet(id), 404);

  assert.equal((await api.user.updateUser(username, { ...user, firstName: 'New' }, secure)).status, 200);
  assert.equal((await api.user.getUserByName(username, secure)).data.firstName, 'New');
  assert.equal((await api.user.logoutUser(secure)).status, 200);
  await refused(api.user.getUserByName(username, secure), 401);
  await refused(api.pet.updatePet(pet), 401);

  api.setSecurityData((await api.user.loginUser({ username, password: 'right' })).data);
  assert.equal((await api.user.deleteUser(username, secure)).status, 200);
  await refused(api.user.getUserByName(username, secure), 401);
  await refused(api.user.loginUser({ username, password: 'right' }), 401);
}

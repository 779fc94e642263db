import { strict as assert } from 'node:assert';
import { Api } from './generated/petstore.js';

/** The five v2 operations through a client that knows nothing but the public Petstore document, version 2.0. */
export async function petstoreWalk(baseUrl: string): Promise<void> {
  const api = new Api<string>({
    baseUrl: `${baseUrl}/v2`,
    securityWorker: (token) => (token ? { headers: { Authorization: `Bearer ${token}` } } : {}),
  });
  const created = await fetch(`${baseUrl}/v1/pet`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Rex' }),
  });
  const { id } = (await created.json()) as { id: number };

  const user = { id: 0, username: `old-${Date.now()}`, firstName: 'Old', email: 'old@mail.example', userStatus: 0 };
  assert.equal((await api.user.createUsersWithListInput([{ ...user, password: 'right' }])).status, 200);
  assert.equal((await api.user.createUsersWithArrayInput([{ phone: '+1 555 0100' }])).status, 200);

  const logIn = await api.user.loginUser({ username: user.username, password: 'right' });
  assert.ok(logIn.headers.get('X-Expires-After'));
  api.setSecurityData(logIn.data);

  const category = { id: 1, name: 'dogs' };
  const pet = { id, category, name: 'Max', photoUrls: ['x'], tags: [category], status: 'sold' as const };
  assert.equal((await api.pet.updatePet(pet)).status, 200);
  const refused = (change: object, status: number) =>
    assert.rejects(api.pet.updatePet({ ...pet, ...change }), (answer: Response) => answer.status === status);
  await refused({ id: 0 }, 400);
  await refused({ id: 4_711 }, 404);
  await refused({ name: '' }, 405);

  assert.equal((await api.user.logoutUser({ secure: true })).status, 200);
  await refused({}, 401);
}

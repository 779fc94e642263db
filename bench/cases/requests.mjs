// The cases that compare requests with the same work done by other means.
import { call, http, load } from '../lib/load.mjs';
import { expectStored, query } from '../lib/stored.mjs';

const PETS = 1_000;
const BULK = 1_000;
const WRITE_PEERS = ['nest-typeorm', 'fastify-drizzle', 'express', 'hono', 'node-http', 'previous'];
const READ_PEERS = ['nest-typeorm', 'fastify-drizzle', 'express', 'hono', 'node-http'];

export const NEW_PET = http('POST', '/v1/pet', {
  body: { name: 'Rex', owner_id: 'o-1', species: 'dog', breed: 'Beagle' },
});

const seedPets = ({ port }) => load({ port, connections: 16, count: PETS, status: 201, requestOf: () => NEW_PET });

/** The head of a request by a user who has logged in. */
export async function logIn({ port }) {
  const body = [{ username: 'tess', firstName: 'Tess', email: 'tess@example.org', password: 'correct horse' }];
  await call(port, http('POST', '/v2/user/createWithList', { body }));
  const path = '/v2/user/login?username=tess&password=correct%20horse';
  const { text } = await call(port, http('GET', path, { headers: { Accept: 'application/json' } }));
  return { Authorization: `Bearer ${JSON.parse(text)}` };
}

const countPets = ({ file }) => query(file, 'SELECT count(*) AS n FROM pet')[0].n;

const create = (connections) => ({
  about: `create a pet, ${connections} connection${connections === 1 ? '' : 's'}`,
  peers: WRITE_PEERS,
  connections,
  status: 201,
  requestOf: () => NEW_PET,
  verify: ({ server, acknowledged }) => expectStored('pets', countPets(server), acknowledged),
});

const nameOf = (n) => `Max ${n}`;
const update = (connections, tags) => ({
  about: `update a pet${tags ? ' with tags' : ''}, ${connections} connection${connections === 1 ? '' : 's'}`,
  peers: WRITE_PEERS,
  connections,
  status: 200,
  async prepare(server) {
    await seedPets(server);
    return { headers: await logIn(server), last: [] };
  },
  requestOf({ state }, connection, n) {
    const pet = {
      id: connection + 1,
      category: { id: 1, name: 'Dogs' },
      name: nameOf(n),
      photoUrls: ['https://example.org/max.jpg'],
      tags,
      status: 'available',
    };
    return http('PUT', '/v2/pet', { body: pet, headers: state.headers });
  },
  seen({ state }, connection, n) {
    state.last[connection] = n;
  },
  verify({ server, state }) {
    const names = query(server.file, 'SELECT name FROM pet WHERE id <= ? ORDER BY id', state.last.length);
    names.forEach(({ name }, index) => expectStored(`pet ${index + 1}`, name, nameOf(state.last[index])));
  },
});

const read = (about, requestOf, more = {}) => ({
  about,
  peers: READ_PEERS,
  connections: 64,
  status: 200,
  prepare: async (server) => ({ seeded: await seedPets(server) }),
  requestOf,
  ...more,
});

export const requestCases = {
  'create-64': create(64),
  'create-1': create(1),
  'update-64': update(64),
  'update-1': update(1),
  'update-tags-64': update(64, [{ id: 1, name: 'calm' }]),
  'read-pet': read('read a pet', (subject, connection, n) =>
    http('GET', `/v1/pet/${((connection * 37 + n * 101) % PETS) + 1}`),
  ),
  'read-page': read('read a page of 100 pets', () => http('GET', '/v1/pet?limit=100')),
  'read-user': read('read oneself', ({ state }) => http('GET', '/v2/user/tess', { headers: state }), {
    prepare: logIn,
  }),
  'read-304': read(
    'read an unchanged pet (304)',
    ({ state }) => http('GET', '/v1/pet/1', { headers: { 'If-None-Match': state.etag } }),
    {
      status: 304,
      async prepare(server) {
        await seedPets(server);
        const { head } = await call(server.port, http('GET', '/v1/pet/1'));
        return { etag: /\r\netag: (\S+)/i.exec(head)[1] };
      },
    },
  ),
  bulk: {
    about: 'create 1,000 users without passwords',
    peers: WRITE_PEERS,
    connections: 1,
    status: 200,
    prepare: () => ({ sent: 0 }),
    requestOf({ state }) {
      const bulk = ++state.sent;
      const users = Array.from({ length: BULK }, (_, n) => ({
        username: `user-${bulk}-${n}`,
        firstName: 'Tess',
        lastName: `of bulk ${bulk}`,
        email: `user-${bulk}-${n}@example.org`,
        phone: '+1 555 0100',
        userStatus: 1,
      }));
      return http('POST', '/v2/user/createWithList', { body: users });
    },
    verify({ server, acknowledged }) {
      const [{ n }] = query(server.file, 'SELECT count(*) AS n FROM user');
      expectStored('users', n, acknowledged * BULK);
    },
  },
  health: {
    about: 'health check',
    peers: ['nest-typeorm', 'fastify-drizzle', 'express-bare', 'hono', 'node-http', 'previous'],
    connections: 64,
    status: 200,
    requestOf: () => http('GET', '/health/live'),
  },
};

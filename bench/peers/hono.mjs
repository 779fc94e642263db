// Hono, ajv and prepared statements.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { areUsers, isNewPet, isPetUpdate } from './checks.mjs';
import { Store } from './store.mjs';

const store = new Store();
const app = new Hono();

const bearer = async (c, next) => {
  const caller = store.caller(c.req.header('authorization'));
  if (caller === undefined) {
    return c.json({ title: 'Unauthorized' }, 401);
  }
  c.set('caller', caller);
  await next();
};
const refused = (c, { errors }) => c.json({ errors }, 400);
const notFound = (c) => c.json({ title: 'Not Found' }, 404);

app.get('/health/live', (c) => c.json({ status: 'live' }));

app.post('/v1/pet', async (c) => {
  const body = await c.req.json();
  if (!isNewPet(body)) {
    return refused(c, isNewPet);
  }
  const { pet, etag } = store.createPet(body);
  return c.json(pet, 201, { Location: `/v1/pet/${pet.id}`, ETag: etag });
});

app.put('/v2/pet', bearer, async (c) => {
  const body = await c.req.json();
  if (!isPetUpdate(body)) {
    return refused(c, isPetUpdate);
  }
  const etag = store.updatePet(body);
  return etag ? c.body(null, 200, { ETag: etag }) : notFound(c);
});

app.get('/v1/pet/:id', (c) => {
  const found = store.pet(Number(c.req.param('id')));
  if (!found) {
    return notFound(c);
  }
  return c.req.header('if-none-match') === found.etag
    ? c.body(null, 304, { ETag: found.etag })
    : c.json(found.pet, 200, { ETag: found.etag });
});

app.get('/v1/pet', (c) => {
  const limit = Number(c.req.query('limit'));
  const pets = store.pets(Number(c.req.query('cursor') ?? 0), limit);
  if (pets.length === limit) {
    c.header('Link', `</v1/pet?limit=${limit}&cursor=${pets.at(-1).id}>; rel="next"`);
  }
  return c.json(pets);
});

app.post('/v2/user/createWithList', async (c) => {
  const body = await c.req.json();
  if (!areUsers(body)) {
    return refused(c, areUsers);
  }
  await store.createUsers(body);
  return c.body(null, 200);
});

app.get('/v2/user/login', async (c) => {
  const token = await store.logIn(c.req.query('username'), c.req.query('password'));
  return token ? c.json(token) : c.json({ title: 'Unauthorized' }, 401);
});

app.get('/v2/user/:username', bearer, (c) => {
  const found = store.ownUser(c.get('caller'), c.req.param('username'));
  return found ? c.json(found.user, 200, { ETag: found.etag }) : c.json({ title: 'Forbidden' }, 403);
});

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });

// Fastify with its ajv and serializer, and drizzle on better-sqlite3.
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { int, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import Fastify from 'fastify';
import * as schemas from './schemas.mjs';
import {
  bearerToken,
  hashPassword,
  newToken,
  openDatabase,
  petView,
  sha256,
  userView,
  verifyPassword,
} from './store.mjs';

const pet = sqliteTable('pet', {
  id: int().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  owner_id: text(),
  owner: text(),
  species: text(),
  breed: text(),
  category: text({ mode: 'json' }),
  photo_urls: text({ mode: 'json' }),
  status: text(),
  version: int().notNull().default(1),
  tags: text({ mode: 'json' }),
});
const petTag = sqliteTable('pet_tag', { pet_id: int(), name: text() });
const user = sqliteTable('user', {
  id: int().primaryKey(),
  username: text(),
  first_name: text(),
  last_name: text(),
  email: text(),
  phone: text(),
  user_status: int(),
  password_hash: text(),
  version: int().notNull().default(1),
});
const session = sqliteTable('session', {
  token_hash: text().primaryKey(),
  user_id: int().notNull(),
  nth: int().notNull().default(1),
  last_used_at: int().notNull(),
  expires_at: int().notNull(),
});

const db = drizzle({ client: openDatabase() });
let lastUserId = db
  .select({ id: sql`coalesce(max(${user.id}), 0)` })
  .from(user)
  .get().id;

const app = Fastify({ ajv: { customOptions: { allowUnionTypes: true } } });

const bearer = async (req, reply) => {
  const found = db
    .select()
    .from(session)
    .where(
      and(eq(session.token_hash, sha256(bearerToken(req.headers.authorization))), gt(session.expires_at, Date.now())),
    )
    .get();
  if (!found) {
    return reply.code(401).send({ title: 'Unauthorized' });
  }
  req.caller = found.user_id;
};
app.decorateRequest('caller', null);

app.get('/health/live', async () => ({ status: 'live' }));

app.post('/v1/pet', { schema: { body: schemas.createPet, response: { 201: schemas.pet } } }, async (req, reply) => {
  const { name, owner_id, owner, species, breed } = req.body;
  const row = db
    .insert(pet)
    .values({ name, owner_id, owner: owner && JSON.stringify(owner), species, breed })
    .returning()
    .get();
  reply.code(201).header('Location', `/v1/pet/${row.id}`).header('ETag', `"${row.version}"`);
  return petView(row);
});

app.put('/v2/pet', { preHandler: bearer, schema: { body: schemas.updatePet } }, async (req, reply) => {
  const { id, name, category, photoUrls, tags, status } = req.body;
  const row = db.transaction((tx) => {
    const updated = tx
      .update(pet)
      .set({
        name,
        category: category ?? null,
        photo_urls: photoUrls,
        tags: tags ?? null,
        status: status ?? null,
        version: sql`${pet.version} + 1`,
      })
      .where(eq(pet.id, id))
      .returning({ version: pet.version })
      .get();
    if (updated) {
      tx.delete(petTag).where(eq(petTag.pet_id, id)).run();
      if (tags?.length) {
        tx.insert(petTag)
          .values(tags.map(({ name }) => ({ pet_id: id, name })))
          .onConflictDoNothing()
          .run();
      }
    }
    return updated;
  });
  return row ? reply.header('ETag', `"${row.version}"`).send() : reply.code(404).send({ title: 'Not Found' });
});

app.get('/v1/pet/:id', { schema: { response: { 200: schemas.pet } } }, async (req, reply) => {
  const row = db
    .select()
    .from(pet)
    .where(eq(pet.id, Number(req.params.id)))
    .get();
  if (!row) {
    return reply.code(404).send({ title: 'Not Found' });
  }
  const etag = `"${row.version}"`;
  reply.header('ETag', etag);
  return req.headers['if-none-match'] === etag ? reply.code(304).send() : petView(row);
});

app.get('/v1/pet', { schema: { response: { 200: { type: 'array', items: schemas.pet } } } }, async (req, reply) => {
  const limit = Number(req.query.limit);
  const rows = db
    .select()
    .from(pet)
    .where(gt(pet.id, Number(req.query.cursor ?? 0)))
    .orderBy(asc(pet.id))
    .limit(limit)
    .all();
  if (rows.length === limit) {
    reply.header('Link', `</v1/pet?limit=${limit}&cursor=${rows.at(-1).id}>; rel="next"`);
  }
  return rows.map(petView);
});

app.post('/v2/user/createWithList', { schema: { body: schemas.users } }, async (req, reply) => {
  const rows = await Promise.all(
    req.body.map(async (one) => ({
      id: one.id || ++lastUserId,
      username: one.username,
      first_name: one.firstName,
      last_name: one.lastName,
      email: one.email,
      phone: one.phone,
      user_status: one.userStatus,
      password_hash: one.password ? await hashPassword(one.password) : null,
    })),
  );
  db.insert(user).values(rows).run();
  return reply.send();
});

app.get('/v2/user/login', async (req, reply) => {
  const { username, password } = req.query;
  const found = db.select().from(user).where(eq(user.username, username)).get();
  if (!found?.password_hash || !(await verifyPassword(found.password_hash, password))) {
    return reply.code(401).send({ title: 'Unauthorized' });
  }
  const token = newToken();
  db.insert(session)
    .values({
      token_hash: sha256(token),
      user_id: found.id,
      last_used_at: Date.now(),
      expires_at: Date.now() + 86_400_000,
    })
    .run();
  return reply.type('application/json').send(JSON.stringify(token));
});

app.get('/v2/user/:username', { preHandler: bearer }, async (req, reply) => {
  const found = db.select().from(user).where(eq(user.id, req.caller)).get();
  return found?.username === req.params.username
    ? reply.header('ETag', `"${found.version}"`).send(userView(found))
    : reply.code(403).send({ title: 'Forbidden' });
});

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });

// What the peers with raw SQL share: the product's own tables, its pragmas, a prepared statement each.
import { createHash, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { hash, verify } = require('@node-rs/argon2');
// The driver that the product takes on this Node.
const Database = require(parseInt(process.versions.node) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3');

export const ARGON2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const DAY = 86_400_000;

export const sha256 = (text) => createHash('sha256').update(text).digest('hex');
export const newToken = () => randomBytes(32).toString('base64url');
export const hashPassword = (password) => hash(password, ARGON2);
export const verifyPassword = verify;
export const bearerToken = (authorization) => /^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '';
export const file = process.env.DATABASE_FILE;

export function openDatabase() {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  return database;
}

/** As the product answers them: absent members are left out. */
export const petView = ({ id, name, owner_id, owner, species, breed }) => ({
  id,
  name,
  owner_id: owner_id ?? undefined,
  owner: owner ? JSON.parse(owner) : undefined,
  species: species ?? undefined,
  breed: breed ?? undefined,
});

export const userView = ({ id, username, first_name, last_name, email, phone, user_status }) => ({
  id,
  username: username ?? undefined,
  firstName: first_name ?? undefined,
  lastName: last_name ?? undefined,
  email: email ?? undefined,
  phone: phone ?? undefined,
  userStatus: user_status ?? undefined,
});

const json = (value) => (value == null ? null : JSON.stringify(value));

export class Store {
  database = openDatabase();
  #insertPet = this.database.prepare(
    'INSERT INTO pet (version, name, owner_id, owner, species, breed) VALUES (1, ?, ?, ?, ?, ?) RETURNING id, version',
  );
  #updatePet = this.database.prepare(
    'UPDATE pet SET name = ?, category = ?, photo_urls = ?, tags = ?, status = ?, version = version + 1 WHERE id = ? RETURNING version',
  );
  #deleteTags = this.database.prepare('DELETE FROM pet_tag WHERE pet_id = ?');
  #insertTag = this.database.prepare('INSERT OR IGNORE INTO pet_tag (pet_id, name) VALUES (?, ?)');
  #pet = this.database.prepare('SELECT id, name, owner_id, owner, species, breed, version FROM pet WHERE id = ?');
  #pets = this.database.prepare(
    'SELECT id, name, owner_id, owner, species, breed FROM pet WHERE id > ? ORDER BY id LIMIT ?',
  );
  #insertUser = this.database.prepare(
    'INSERT INTO user (version, id, username, first_name, last_name, email, phone, user_status, password_hash) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  #user = this.database.prepare('SELECT * FROM user WHERE id = ?');
  #userByName = this.database.prepare('SELECT id, password_hash FROM user WHERE username = ?');
  #insertSession = this.database.prepare(
    'INSERT INTO session (token_hash, user_id, nth, last_used_at, expires_at) VALUES (?, ?, 1, ?, ?)',
  );
  #session = this.database.prepare('SELECT user_id, expires_at FROM session WHERE token_hash = ?');
  #lastUserId = this.database.prepare('SELECT coalesce(max(id), 0) FROM user').pluck().get();

  createPet({ name, owner_id, owner, species, breed }) {
    const { id, version } = this.#insertPet.get(name, owner_id ?? null, json(owner), species ?? null, breed ?? null);
    return { pet: { id, name, owner_id, owner, species, breed }, etag: `"${version}"` };
  }

  /** The new ETag; undefined where there is no such pet. */
  updatePet = this.database.transaction(({ id, name, category, photoUrls, tags, status }) => {
    const row = this.#updatePet.get(name, json(category), json(photoUrls), json(tags), status ?? null, id);
    if (!row) {
      return undefined;
    }
    this.#deleteTags.run(id);
    tags?.forEach((tag) => tag.name != null && this.#insertTag.run(id, tag.name));
    return `"${row.version}"`;
  });

  pet(id) {
    const row = this.#pet.get(id);
    return row && { pet: petView(row), etag: `"${row.version}"` };
  }

  pets(after, limit) {
    return this.#pets.all(after, limit).map(petView);
  }

  async createUsers(users) {
    const hashes = await Promise.all(users.map(({ password }) => (password ? hashPassword(password) : null)));
    this.#insertUsers(users, hashes);
  }

  #insertUsers = this.database.transaction((users, hashes) =>
    users.forEach((user, index) => {
      const { id, username, firstName, lastName, email, phone, userStatus } = user;
      this.#insertUser.run(
        id || ++this.#lastUserId,
        username ?? null,
        firstName ?? null,
        lastName ?? null,
        email ?? null,
        phone ?? null,
        userStatus ?? null,
        hashes[index],
      );
    }),
  );

  /** A new token; undefined where name and password do not fit. */
  async logIn(username, password) {
    const user = this.#userByName.get(username);
    if (!user?.password_hash || !(await verifyPassword(user.password_hash, password))) {
      return undefined;
    }
    const token = newToken();
    this.#insertSession.run(sha256(token), user.id, Date.now(), Date.now() + DAY);
    return token;
  }

  /** The id of whoever bears the token. */
  caller(authorization) {
    const session = this.#session.get(sha256(bearerToken(authorization)));
    return session && session.expires_at > Date.now() ? session.user_id : undefined;
  }

  /** The user of this id, if that is the name in the address. */
  ownUser(id, username) {
    const user = this.#user.get(id);
    return user?.username === username ? { user: userView(user), etag: `"${user.version}"` } : undefined;
  }
}

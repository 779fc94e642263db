// Looks past the servers, into their databases: what was acknowledged must be there.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const Database = require(parseInt(process.versions.node) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3');

export function query(file, sql, ...parameters) {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare(sql).all(...parameters);
  } finally {
    database.close();
  }
}

export function expectStored(what, stored, acknowledged) {
  if (stored !== acknowledged) {
    throw new Error(`${what}: ${acknowledged} acknowledged, but ${stored} stored`);
  }
}

/** Those of the pets that `fill` adds without tags: so many, the n-th with this id. */
export const untagged = { of: (rows) => Math.floor((rows + 2) / 4), id: (n) => 4 * n + 2 };

/** Adds pets, users and sessions until there are so many; half of the pets have what lists look for, a quarter no tags. */
export function fill(file, rows) {
  const database = new Database(file);
  const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)';
  const half = (value, other) => `CASE WHEN n % 2 THEN '${value}' ELSE '${other}' || n END`;
  database.transaction(() => {
    database
      .prepare(
        `INSERT INTO pet (id, version, name, owner_id, species, breed, photo_urls, status, tags) ${numbers}
         SELECT n, 1, 'Rex ' || n, ${half('o-1', 'o-')}, ${half('dog', 'species ')}, ${half('Beagle', 'breed ')}, '[]',
           CASE WHEN n % 2 THEN 'sold' ELSE 'available' END, CASE WHEN n % 4 <> 2 THEN json_array(json_object('name', ${half('calm', 'tag ')})) END FROM numbers`,
      )
      .run(rows);
    database.prepare('UPDATE pet_numbering SET last = ?').run(rows);
    database
      .prepare(
        `INSERT INTO pet_tag (pet_id, name) ${numbers}
         SELECT n, ${half('calm', 'tag ')} FROM numbers WHERE n % 4 <> 2`,
      )
      .run(rows);
    database
      .prepare(
        `INSERT INTO user (version, id, username, first_name) ${numbers} SELECT 1, n, 'user ' || n, 'Tess' FROM numbers`,
      )
      .run(rows);
    database
      .prepare(
        `INSERT INTO session (token_hash, user_id, nth, last_used_at, expires_at) ${numbers}
         SELECT lower(hex(randomblob(32))), n, n, ?, ? FROM numbers`,
      )
      .run(rows, Date.now(), Date.now() + 86_400_000);
  })();
  database.exec('ANALYZE');
  database.close();
}

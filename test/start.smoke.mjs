// What keeps the service from starting is said in one sentence, without a stack, and the exit code is 1.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { start, temporaryFolder } from './support/built-service.mjs';
import { createDatabase, server } from './support/server-database.mjs';

const folder = temporaryFolder(after);
writeFileSync(`${folder}/text`, 'This is no database, but it is longer than the head of one would be.'.repeat(10));
const DATABASE_URL = `sqlite:${folder}/pets.sqlite`;

/** Accepts connections and says nothing. */
const neighbour = createServer(() => {}).listen(0, '127.0.0.1');
before(() => once(neighbour, 'listening'));
after(() => neighbour.close());
const takenPort = () => String(/** @type {import('node:net').AddressInfo} */ (neighbour.address()).port);

async function fails(settings, sentence) {
  await assert.rejects(start({ DATABASE_URL, LOG_LEVEL: 'error', ...settings }), ({ message }) => {
    assert.match(message, /^exited with 1: [^\n]+\n$/);
    assert.match(message, sentence);
    return true;
  });
}

const onServer = (change) => Object.assign(new URL(server), change).href;

describe('the start says in a sentence', { timeout: 120_000 }, () => {
  it('where it cannot listen', async () => {
    await fails({ PORT: takenPort() }, /listen on 127\.0\.0\.1, port \d+ \(HOST and PORT\): address already in use/);
    await fails({ HOST: '203.0.113.7' }, /HOST and PORT\): address not available/);
    await fails({ HOST: 'nowhere.invalid' }, /listen on nowhere\.invalid, port 0/);
    await fails({ METRICS_PORT: takenPort() }, /\(METRICS_HOST and METRICS_PORT\): address already in use/);
    await fails({ HOST: '[2001:db8::7]' }, /listen on \[2001:db8::7\], port 0/);
    await fails({ METRICS_PORT: '0', METRICS_HOST: '203.0.113.7' }, /METRICS_PORT\): address not available/);
  });

  it('which settings would mean something else than they say, all at once', () =>
    assert.rejects(
      start({ DATABASE_URL: 'sqlite://pets.sqlite', CORS_ORIGINS: 'https://*.example', PET_CREATION: '"closed"' }),
      /invalid:\n {2}DATABASE_URL must be [^\n]+\n {2}CORS_ORIGINS must be [^\n]+\n {2}PET_CREATION must be without quotes or blanks at its ends\n$/,
    ));

  for (const [path, reason] of /** @type {[string, RegExp][]} */ ([
    ['/proc/nowhere/pets.sqlite', /ENOENT|EPERM|EACCES/],
    ['/dev/null/pets.sqlite', /ENOTDIR|EEXIST|null/],
    [folder, /SQLITE_CANTOPEN|folder|directory/],
    [`${folder}/text`, /not a SQLite database/],
  ])) {
    it(`why it cannot store in ${path.replace(folder, 'a folder')}`, () =>
      fails({ DATABASE_URL: `sqlite:${path}` }, reason));
  }

  it(
    'why PostgreSQL does not let it in',
    { skip: server === undefined && 'TEST_DATABASE_URL names no server' },
    async () => {
      const { url, drop } = await createDatabase();
      await fails({ DATABASE_URL: onServer({ pathname: 'nowhere' }) }, /database "nowhere" does not exist/);
      await fails({ DATABASE_URL: onServer({ username: 'nobody-here' }) }, /role "nobody-here" does not exist/);
      await fails({ DATABASE_URL: onServer({ port: '1' }) }, /DATABASE_URL .* ECONNREFUSED/);
      await fails({ DATABASE_URL: onServer({ hostname: 'nowhere.invalid' }) }, /nowhere\.invalid/);
      const silent = { DATABASE_URL: onServer({ port: takenPort() }), POSTGRES_CONNECT_TIMEOUT_MS: '300' };
      await fails(silent, /timeout/);
      await fails({ DATABASE_URL: url, POSTGRES_TLS: 'require' }, /does not support SSL/);
      await drop();
    },
  );
});

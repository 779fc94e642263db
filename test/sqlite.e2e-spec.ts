import { AsyncResource } from 'node:async_hooks';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sqlite, type SqliteConnection } from '../src/platform/database';
import { insertPet } from './support/insert-pet';
import { SmallDisk } from './support/small-disk';
import { startApp, type RunningApp } from './support/start-app';
import { lasting, sqliteFile, type TestDatabase } from './support/test-database';

const fileOf = ({ url }: TestDatabase) => url.replace('sqlite:', '');

const create = ({ http }: RunningApp, name = 'Rex') => http.post('/v1/pet').send({ name });
const names = async ({ query }: RunningApp) =>
  (await query<{ name: string }>('SELECT name FROM pet ORDER BY id')).map(({ name }) => name);
const integrity = ({ query }: RunningApp) => query('PRAGMA integrity_check');

describe('a server on SQLite', () => {
  let database: TestDatabase;
  let running: RunningApp;
  beforeEach(async () => {
    database = sqliteFile();
    running = await startApp({}, database);
  });
  afterEach(() => running.stop());

  it('lets readers write nothing', async () => {
    await expect(running.query('DELETE FROM pet')).rejects.toThrow();
  });

  it('commits together what comes in one turn of the event loop', async () => {
    const committed = AsyncResource.bind(() => names(running));
    const write = (name: string) =>
      running.database.write(async (manager) => {
        await manager.query(insertPet(name));
        return { inside: await manager.query<object[]>('SELECT name FROM pet'), committed: await committed() };
      });
    const turns = ['first', 'second'].map(
      (name) =>
        new Promise<Awaited<ReturnType<typeof write>>>((done) => setImmediate(() => void write(name).then(done))),
    );
    const [, second] = await Promise.all(turns);
    expect(second).toEqual({ inside: [{ name: 'first' }, { name: 'second' }], committed: [] });
  });

  it('answers 503 to all of a group whose transaction SQLite rolled back, and goes on', async () => {
    const { driver } = running.database.dataSource as unknown as { driver: { databaseConnection: SqliteConnection } };
    const broken = running.database.write(async () => {
      driver.databaseConnection.exec('ROLLBACK');
      return Promise.reject(new Error('as on a full disk'));
    });
    const [neighbour] = await Promise.all([
      create(running, 'neighbour'),
      expect(broken).rejects.toThrow('not available'),
    ]);
    await create(running, 'later').expect(201);
    expect(await names(running)).toEqual(neighbour.status === 201 ? ['neighbour', 'later'] : ['later']);
  });

  it('keeps a second server off its file, but no reader', async () => {
    await expect(startApp({}, lasting(database))).rejects.toThrow(/Another process serves .*test\.sqlite/);
    new Sqlite(fileOf(database), { readonly: true }).close();
    await create(running).expect(201);
    await running.stop();
    running = await startApp({}, sqliteFile());
  });

  it('answers 503 with Retry-After while somebody else has locked the file, and reads on', async () => {
    const other = new Sqlite(fileOf(database));
    other.exec('BEGIN IMMEDIATE');
    const { body, headers } = await create(running).expect(503);
    expect([body.type, headers['retry-after']]).toEqual(['/problems/unavailable', '1']);
    expect(await names(running)).toEqual([]);
    other.close();
    await create(running).expect(201);
  });

  it('answers 503 while the file may only be read', async () => {
    const driver = await running.database.write(({ dataSource }) => Promise.resolve(dataSource.driver));
    const { databaseConnection } = driver as unknown as { databaseConnection: SqliteConnection };
    databaseConnection.pragma('query_only = ON');
    await create(running).expect(503);
    databaseConnection.pragma('query_only = OFF');
    await create(running).expect(201);
  });

  it('waits for somebody else who writes for a moment, once for all who wait, and lets others have their turns', async () => {
    const other = new Sqlite(fileOf(database));
    other.exec('BEGIN IMMEDIATE');
    const turns = watchTurns();
    const started = performance.now();
    const refused = await Promise.all(Array.from({ length: 50 }, () => create(running)));
    const [took, longest] = [performance.now() - started, turns.longest()];
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    expect(longest).toBeLessThan(took / 2);

    const waiting = Promise.all(Array.from({ length: 20 }, () => create(running)));
    setTimeout(() => other.exec('COMMIT'), 100);
    expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set([201]));
    other.close();
  });

  it('ends a group after a time, so that nobody waits long for those behind, and lets others have their turns', async () => {
    const { commits } = running.database.metrics;
    const slow = () => running.database.write(() => Promise.resolve(busyFor(15)));
    await Promise.all(Array.from({ length: 8 }, slow));
    expect(running.database.metrics.commits - commits).toBeGreaterThanOrEqual(4);
  });

  it('lets others have their turns during a long unit', async () => {
    const turns = await running.database.write(async (manager) => {
      let count = 0;
      const timer = setInterval(() => (count += 1), 1);
      for (let n = 0; n < 10; n++) {
        busyFor(15);
        await manager.query(insertPet('long'));
      }
      clearInterval(timer);
      return count;
    });
    expect(turns).toBeGreaterThanOrEqual(5);
  });

  it('lets all others pass units of the bulk lane, which have groups of their own', async () => {
    const order: string[] = [];
    const write = (name: string, lane?: 'bulk') =>
      running.database.write(() => Promise.resolve(lane && busyFor(25)), lane).then(() => order.push(name));
    const bulks = [1, 2, 3, 4].map((n) => write(`bulk ${n}`, 'bulk').then(() => write(`after ${n}`)));
    await Promise.all([...bulks, write('one'), write('two')]);
    // A group ends after 20 ms, so each of these long ones is one.
    expect(order).toEqual([
      ...['one', 'two', 'bulk 1', 'after 1', 'bulk 2', 'after 2', 'bulk 3', 'after 3', 'bulk 4', 'after 4'],
    ]);
  });
});

it('syncs every commit to the disk unless the operator says otherwise', async () => {
  const level = async (setting: string) => {
    const running = await startApp({ SQLITE_SYNCHRONOUS: setting }, sqliteFile());
    const rows = await running.database.write((manager) => manager.query<object[]>('PRAGMA synchronous'));
    await running.stop();
    return rows[0];
  };
  expect(await level('')).toEqual({ synchronous: 2 });
  expect(await level('NORMAL')).toEqual({ synchronous: 1 });
});

it('does not start on a file that is no database', async () => {
  const database = sqliteFile();
  writeFileSync(fileOf(database), 'no database '.repeat(100));
  await expect(startApp({}, lasting(database))).rejects.toThrow(/test\.sqlite is not a SQLite database\.$/);
  await database.drop();
});

describe('a server on SQLite, before it touches anything,', () => {
  let database: TestDatabase;
  beforeEach(() => (database = sqliteFile()));
  afterEach(() => database.drop());
  const start = (url = database.url) => startApp({}, lasting({ ...database, url }));

  it.each([['DELETE'], ['WAL']])('leaves the file of another program alone, in journal mode %s', async (mode) => {
    const other = new Sqlite(fileOf(database));
    other.pragma(`journal_mode = ${mode}`);
    other.exec('CREATE TABLE "pet" ("id" integer); CREATE TABLE "migrations" ("id" integer)');
    other.close();
    const before = readFileSync(fileOf(database));
    await expect(start()).rejects.toThrow(/test\.sqlite is the database of another program/);
    expect(readFileSync(fileOf(database)).equals(before)).toBe(true);
    expect(existsSync(`${fileOf(database)}-lock`)).toBe(false);
  });

  it('says in a sentence that the path is a folder, leads through a file, or cannot be made', async () => {
    const folder = dirname(fileOf(database));
    writeFileSync(join(folder, 'file'), '');
    await expect(start(`sqlite:${folder}`)).rejects.toThrow(/ is a folder; the database is a file\.$/);
    await expect(start('sqlite:/dev/null')).rejects.toThrow('/dev/null is not a file.');
    await expect(start(`sqlite:${folder}/file/x.sqlite`)).rejects.toThrow(/x\.sqlite cannot be reached: ENOTDIR\.$/);
    await expect(start('sqlite:/proc/x/y.sqlite')).rejects.toThrow('The folder /proc/x cannot be made: ENOENT.');
    await expect(start(`sqlite:${folder}/mistyped/data/x.sqlite`)).rejects.toThrow(
      `The folder ${folder}/mistyped/data cannot be made: there is no folder ${folder}/mistyped.`,
    );
    expect(existsSync(join(folder, 'mistyped'))).toBe(false);
    symlinkSync('/mnt/gone/x.sqlite', join(folder, 'link'));
    await expect(start(`sqlite:${folder}/link`)).rejects.toThrow(
      'is a link to /mnt/gone/x.sqlite, where there is nothing.',
    );
    expect(existsSync(join(folder, 'link-lock'))).toBe(false);
  });

  it('accepts an empty file, and a link to one', async () => {
    writeFileSync(fileOf(database), '');
    symlinkSync(fileOf(database), `${fileOf(database)}.link`);
    await (await start(`${database.url}.link`)).stop();
    await (await start()).stop();
  });

  it('keeps all files to its user, whatever the umask, also those that others could read', async () => {
    const folder = join(dirname(fileOf(database)), 'new');
    const url = `sqlite:${folder}/test.sqlite`;
    const modes = () =>
      Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]));
    const own = { 'test.sqlite': 0o600, 'test.sqlite-lock': 0o600, 'test.sqlite-shm': 0o600, 'test.sqlite-wal': 0o600 };
    const umask = process.umask(0);
    try {
      const first = await start(url);
      await create(first).expect(201);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      expect(modes()).toEqual(own);
      await first.stop();
      readdirSync(folder).forEach((name) => chmodSync(join(folder, name), 0o644));
      process.umask(0o022);
      const second = await start(url);
      await create(second).expect(201);
      expect(modes()).toEqual(own);
      await second.stop();
    } finally {
      process.umask(umask);
    }
  });

  it('starts though a stranger reads the lock', async () => {
    await (await start()).stop();
    const stranger = new Sqlite(`${fileOf(database)}-lock`, { readonly: true });
    stranger.exec('BEGIN');
    stranger.prepare('SELECT * FROM sqlite_master').all();
    await (await start()).stop();
    stranger.close();
  });
});

it.each([
  ['removed', (file: string) => rmSync(file)],
  ['replaced', (file: string) => renameSync(file, `${file}.old`) ?? writeFileSync(file, '')],
])('stores nothing more, and is not ready, when its file is %s', async (_, harm) => {
  const database = sqliteFile();
  const running = await startApp({}, database);
  await create(running).expect(201);
  harm(fileOf(database));
  await create(running).expect(503);
  await running.http.get('/health/ready').expect(503);
  await running.stop();
});

it('answers 500 where the file is damaged, and serves the rest', async () => {
  const database = sqliteFile();
  const first = await startApp({}, lasting(database));
  await create(first).expect(201);
  const [{ page }] = (await first.query(`SELECT rootpage AS page FROM sqlite_master WHERE name = 'pet'`)) as [
    { page: number },
  ];
  await first.stop();
  damage(fileOf(database), page);

  const second = await startApp({}, database);
  const { body } = await create(second).expect(500);
  expect(body.type).toBe('/problems/internal-error');
  await second.http
    .post('/v2/user/createWithList')
    .send([{ username: 'tess' }])
    .expect(200);
  await second.stop();
});

const possible = SmallDisk.isPossible();
if (!possible) {
  console.warn('The tests of full and read-only disks are left out: mounting takes root.');
}

(possible ? describe : describe.skip)('a server on SQLite on a disk of its own', () => {
  let disk: SmallDisk;
  beforeEach(() => (disk = new SmallDisk(4 * 1024 * 1024)));
  afterEach(() => disk.unmount());

  it('answers 503 while the disk is full, recovers by itself, and loses nothing', async () => {
    const database = lasting(sqliteFile(disk.path));
    const first = await startApp({ SQLITE_SYNCHRONOUS: 'FULL' }, database);
    const acknowledged: string[] = [];
    const fill = async (from: number, to: number) => {
      const answers = await Promise.all(
        Array.from({ length: to - from }, (_, n) => create(first, `${'x'.repeat(200)}${from + n}`)),
      );
      acknowledged.push(...answers.flatMap(({ status, body }) => (status === 201 ? [body.name as string] : [])));
      return new Set(answers.map(({ status }) => status));
    };
    expect(await fill(0, 50)).toEqual(new Set([201]));
    disk.fill();
    const statuses = new Set<number>();
    for (let n = 50; n < 5_000 && !statuses.has(503); n += 50) {
      (await fill(n, n + 50)).forEach((status) => statuses.add(status));
    }
    expect([...statuses].filter((status) => status !== 201)).toEqual([503]);
    const ready = () => first.http.get('/health/ready').then(({ status }) => status);
    expect(await ready()).toBe(503);
    disk.free();
    // The answer stands for a second.
    await sleep(1_100);
    expect(await ready()).toBe(200);
    expect(await fill(10_000, 10_050)).toEqual(new Set([201]));
    await first.stop();

    const second = await startApp({}, database);
    expect((await names(second)).sort()).toEqual(acknowledged.sort());
    expect(await integrity(second)).toEqual([{ integrity_check: 'ok' }]);
    await second.stop();
  });

  it('does not start where the disk may only be read, and starts when it may be written', async () => {
    const database = lasting(sqliteFile(disk.path));
    disk.remount('ro');
    await expect(startApp({}, database)).rejects.toThrow(/The folder .* cannot be written by this user: EROFS\.$/);
    disk.remount('rw');
    await (await startApp({}, database)).stop();
    disk.remount('ro');
    await expect(startApp({}, database)).rejects.toThrow(
      /test\.sqlite cannot be read and written by this user: EROFS\.$/,
    );
    expect(readdirSync(dirname(fileOf(database)))).toContain('test.sqlite');
  });
});

/** Keeps the event loop. */
function busyFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** The longest time, in milliseconds, in which nothing but one thing was done in this process. */
function watchTurns(): { longest: () => number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  return {
    longest: () => {
      clearInterval(timer);
      return Math.max(longest, performance.now() - last);
    },
  };
}

/** Overwrites one page, as a failing disk would. */
function damage(file: string, page: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(4_096, 0xff), 0, 4_096, (page - 1) * 4_096);
  closeSync(descriptor);
}

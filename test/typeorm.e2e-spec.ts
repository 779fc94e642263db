import { Injectable, Module, type Type } from '@nestjs/common';
import { InjectDataSource, InjectEntityManager, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import {
  Column,
  DataSource,
  Entity,
  EntityManager,
  Index,
  JoinTable,
  ManyToMany,
  ManyToOne,
  OneToMany,
  PrimaryGeneratedColumn,
  Repository,
  type EntitySubscriberInterface,
  type TransactionCommitEvent,
  type TransactionStartEvent,
} from 'typeorm';
import { loadConfig } from '../src/platform/config';
import { openDatabase, type UnitOfWork } from '../src/platform/database';
import { userEntities } from '../src/user';
import { startApp } from './support/start-app';
import { createTestDatabase, onPostgres, type TestDatabase } from './support/test-database';

/*
 * As the documentation of TypeORM and of Nest has it, without a word of ours: what is acknowledged is stored, and
 * nothing else, on both databases.
 */

@Entity()
class Author {
  @PrimaryGeneratedColumn() id: number;
  @Index('author_name', { unique: true })
  @Column({ type: 'text' })
  name: string;
  @OneToMany(() => Book, (book) => book.author, { cascade: true }) books: Book[];
}

@Entity()
class Shelf {
  @PrimaryGeneratedColumn() id: number;
  @Column({ type: 'text', default: 'oak' }) wood: string;
}

@Entity()
class Book {
  @PrimaryGeneratedColumn() id: number;
  @Column({ type: 'text' }) title: string;
  @ManyToOne(() => Author, (author) => author.books) author: Author;
  @ManyToMany(() => Shelf) @JoinTable() shelves: Shelf[];
}

let file: TestDatabase;
let database: UnitOfWork;
let dataSource: DataSource;
let authors: Repository<Author>;
let books: Repository<Book>;

beforeAll(async () => {
  file = await createTestDatabase();
  // A hundred units at once on ten connections, and on a busy machine.
  const { database: config } = loadConfig({ DATABASE_URL: file.url, POSTGRES_CONNECT_TIMEOUT_MS: '20000' });
  database = await openDatabase({ database: config }, [Author, Shelf, Book]);
  ({ dataSource } = database);
  await dataSource.synchronize();
  authors = dataSource.getRepository(Author);
  books = dataSource.getRepository(Book);
});
afterAll(async () => {
  await database.onApplicationShutdown();
  await file.drop();
});
beforeEach(async () => {
  await dataSource.query('DELETE FROM "book_shelves_shelf"');
  await books.deleteAll();
  await authors.deleteAll();
});

const names = async () => (await authors.find({ order: { name: 'ASC' } })).map(({ name }) => name);

it('saves, loads, changes and removes entities with their relations', async () => {
  const shelf = await dataSource.getRepository(Shelf).save({});
  expect(shelf.wood).toBe('oak');
  const ann = authors.create({ name: 'Ann', books: [{ title: 'One', shelves: [shelf] }, { title: 'Two' }] });
  await authors.save(ann);
  const found = await authors.findOneOrFail({ where: { name: 'Ann' }, relations: { books: { shelves: true } } });
  expect(found.books.map(({ title, shelves }) => [title, shelves.length]).sort()).toEqual([
    ['One', 1],
    ['Two', 0],
  ]);
  found.name = 'Anna';
  await authors.save(found);
  expect(await authors.countBy({ name: 'Anna' })).toBe(1);
  await books.remove(found.books);
  await authors.remove(found);
  expect([await authors.count(), await books.exists()]).toEqual([0, false]);
});

it('builds queries that read, insert, update and delete', async () => {
  await authors
    .createQueryBuilder()
    .insert()
    .values([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    .execute();
  await authors.createQueryBuilder().update().set({ name: 'z' }).where('name = :name', { name: 'b' }).execute();
  expect((await authors.createQueryBuilder().delete().where({ name: 'c' }).execute()).affected).toBe(1);
  const found = await authors.createQueryBuilder('author').orderBy('author.name').getManyAndCount();
  expect([found[0].map(({ name }) => name), found[1]]).toEqual([['a', 'z'], 2]);
  await authors.upsert({ name: 'a' }, ['name']);
  await authors.increment({ name: 'a' }, 'id', 100);
  expect(await names()).toEqual(['a', 'z']);
});

it('streams, and what is written meanwhile is seen by whoever else reads', async () => {
  await authors.insert(Array.from({ length: 250 }, (_, n) => ({ name: `n${n}` })));
  const met: string[] = [];
  const stream = await authors.createQueryBuilder('author').orderBy('author.id').stream();
  for await (const row of stream as AsyncIterable<{ author_name: string }>) {
    met.push(row.author_name);
    if (met.length === 1) {
      await authors.insert({ name: 'late' });
      expect(await authors.existsBy({ name: 'late' })).toBe(true);
    }
  }
  expect([met.length, met[249]]).toEqual([250, 'n249']);
  const [row] = await dataSource.query<{ count: number }[]>('SELECT count(*) AS count FROM author');
  expect(Number(row!.count)).toBe(251);
});

it('stores the transactions that fulfil and nothing of those that fail, a hundred at once beside plain calls', async () => {
  const transactions = Array.from({ length: 100 }, (_, n) =>
    dataSource.transaction(async (manager) => {
      const author = await manager.save(Author, { name: `t${n}` });
      await manager.insert(Book, { title: `t${n}`, author });
      if (n % 20 === 7) {
        throw new Error('on purpose');
      }
    }),
  );
  const runners = Array.from({ length: 40 }, async (_, n) => {
    const runner = dataSource.createQueryRunner();
    await runner.connect();
    await runner.startTransaction();
    try {
      await runner.manager.insert(Author, { name: `r${n}` });
      await (n % 20 === 7 ? runner.rollbackTransaction() : runner.commitTransaction());
    } finally {
      await runner.release();
    }
  });
  const saves = Array.from({ length: 60 }, (_, n) => authors.save({ name: `s${n}` }));
  const inserts = Array.from({ length: 60 }, (_, n) => authors.insert({ name: `i${n % 59}` }));
  const settled = await Promise.allSettled([...transactions, ...runners, ...saves, ...inserts]);
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(6);
  const stored = await names();
  expect(stored).toHaveLength(95 + 38 + 60 + 59);
  expect(stored.filter((name) => /^[tr]/.test(name) && Number(name.slice(1)) % 20 === 7)).toEqual([]);
  expect(await books.count()).toBe(95);
});

it('nests transactions as savepoints, which take turns', async () => {
  await dataSource.transaction(async (manager) => {
    await manager.insert(Author, { name: 'outer' });
    const nested = (name: string, fail: boolean) =>
      manager.transaction(async (inner) => {
        await inner.insert(Author, { name });
        await dataSource.transaction(() => authors.insert({ name: `${name}-deep` }));
        await manager.insert(Book, { title: name });
        if (fail) {
          throw new Error('on purpose');
        }
      });
    const settled = await Promise.allSettled([
      nested('a', false),
      nested('b', true),
      authors.insert({ name: 'beside' }),
      nested('c', false),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });
  expect(await names()).toEqual(['a', 'a-deep', 'beside', 'c', 'c-deep', 'outer']);
  expect(await books.count()).toBe(2);
});

it.each(['a unit', 'a transaction'])('has what repositories do while %s is open belong to it', async (kind) => {
  const run = (work: () => Promise<void>) =>
    kind === 'a unit' ? database.write(work) : dataSource.transaction(() => work());
  const failing = run(async () => {
    await authors.insert({ name: 'lost' });
    await authors.save({ name: 'lost too' });
    expect(await authors.count()).toBe(2);
    expect(await dataSource.query('SELECT 1 FROM author')).toHaveLength(2);
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await names()).toEqual([]);
  await run(async () => {
    await authors.save({ name: 'kept' });
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.manager.insert(Author, { name: 'undone' });
    await runner.rollbackTransaction();
    await runner.release();
  });
  expect(await names()).toEqual(['kept']);
});

it('does not let a unit that reads write', async () => {
  const sentence = 'A unit that reads cannot write';
  await expect(database.read(() => authors.save({ name: 'never' }))).rejects.toThrow(sentence);
  await expect(database.read(() => authors.insert({ name: 'never' }))).rejects.toThrow(sentence);
  await expect(database.read(() => dataSource.transaction(() => authors.count()))).rejects.toThrow(sentence);
  expect(await names()).toEqual([]);
});

it('shows what is committed only, and rolls back what the owner of a runner forgot', async () => {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.manager.insert(Author, { name: 'unseen' });
  expect(await runner.manager.count(Author)).toBe(1);
  expect(await authors.count()).toBe(0);
  await runner.release();
  await authors.insert({ name: 'next' });
  expect(await names()).toEqual(['next']);
});

it('takes transactions by their own calls, not by statements, which would end those of others', async () => {
  for (const sql of ['BEGIN', 'COMMIT', ' rollback ', 'END TRANSACTION']) {
    await expect(dataSource.query(sql)).rejects.toThrow('A transaction begins and ends by');
    await expect(dataSource.transaction((manager) => manager.query(sql))).rejects.toThrow('begins and ends by');
  }
  await expect(dataSource.query('SAVEPOINT s')).rejects.toThrow('There is no transaction');
});

it('tells subscribers of its transactions, and of units, as TypeORM does', async () => {
  const told: string[] = [];
  const tell = (event: string) => (of: TransactionStartEvent) => {
    of.queryRunner.data.n = ((of.queryRunner.data.n as number | undefined) ?? 0) + 1;
    told.push(`${event} ${String(of.queryRunner.data.n)}`);
  };
  const subscriber = {
    beforeTransactionStart: tell('start'),
    afterInsert: tell('inserted'),
    beforeTransactionCommit: tell('commit'),
    async afterTransactionCommit(event: TransactionCommitEvent) {
      tell('committed')(event);
      await event.manager.insert(Shelf, { wood: 'ash' });
    },
    beforeTransactionRollback: tell('roll back'),
    afterTransactionRollback: tell('rolled back'),
  };
  dataSource.subscribers.push(subscriber as EntitySubscriberInterface);
  try {
    await authors.save({ name: 'saved' });
    await dataSource.transaction((manager) => manager.insert(Author, { name: 'inserted' }));
    await database.write(() => authors.insert({ name: 'of a unit' }));
    await expect(
      dataSource.transaction(async () => {
        await authors.insert({ name: 'failed' });
        throw new Error('on purpose');
      }),
    ).rejects.toThrow('on purpose');
  } finally {
    dataSource.subscribers.pop();
  }
  // What is inserted after a commit is a statement of its own, by the same runner.
  const stored = ['start 1', 'inserted 2', 'commit 3', 'committed 4', 'inserted 5'];
  expect(told).toEqual([...stored, ...stored, ...stored, 'start 1', 'inserted 2', 'roll back 3', 'rolled back 4']);
  expect(await dataSource.getRepository(Shelf).countBy({ wood: 'ash' })).toBe(3);
});

it('takes an isolation level', async () => {
  await dataSource.transaction('SERIALIZABLE', async (manager) => {
    if (onPostgres) {
      const rows: unknown = await manager.query('SHOW transaction_isolation');
      expect(rows).toEqual([{ transaction_isolation: 'serializable' }]);
    }
    await manager.insert(Author, { name: 'serial' });
  });
  expect(await names()).toEqual(['serial']);
});

describe('in a module', () => {
  const [User] = userEntities;
  type User = InstanceType<typeof User>;

  @Injectable()
  class Readers {
    constructor(
      @InjectRepository(User) readonly users: Repository<User>,
      @InjectDataSource() readonly dataSource: DataSource,
      @InjectEntityManager() readonly manager: EntityManager,
    ) {}
  }
  @Module({ imports: [TypeOrmModule.forFeature([User])], providers: [Readers] })
  class ReadersModule {}

  it('injects repositories, the DataSource and its manager', async () => {
    const running = await startApp({}, undefined, undefined, [ReadersModule]);
    const { users, manager, dataSource: own } = running.app.get(Readers, { strict: false });
    await users.insert({ id: 7, username: 'ann', version: 1 });
    expect([await users.countBy({ id: 7 }), manager, users.manager]).toEqual([1, own.manager, own.manager]);
    await running.stop();
  });

  const refused = (module: unknown, own?: TestDatabase) => {
    @Module({ imports: [module as Type] })
    class RefusedModule {}
    return expect(startApp({}, own, undefined, [RefusedModule])).rejects;
  };

  it('stops the start for an entity that is no table of the service', async () => {
    await refused(TypeOrmModule.forFeature([Author])).toThrow('Author is no table of this service: list it in');
  });

  it.each([undefined, 'mine'])('stops the start for a second DataSource on the database, called %s', async (name) => {
    const taken = await createTestDatabase();
    const second = onPostgres
      ? { type: 'postgres' as const, url: taken.url }
      : { type: 'better-sqlite3' as const, database: taken.url.replace('sqlite:', '') };
    const sentence = name ? 'opens the database of the service once more' : 'needs a name, since the service has';
    await refused(TypeOrmModule.forRoot({ ...second, name, retryAttempts: 0 }), taken).toThrow(sentence);
  });
});

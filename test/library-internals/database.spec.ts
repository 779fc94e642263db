import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { Client, Connection, Pool, Query } from 'pg';
import { DataSource, EntityManager, EntitySchema, QueryFailedError, type QueryRunner } from 'typeorm';
import { Sqlite } from '../../src/platform/database';
import { allOf, areFunctions, stillThere } from './still-there';

/** Stands for the drivers, so that nothing is opened. */
class NoConnection {
  pragma() {}
  close() {}
}
class NoPool extends EventEmitter {
  connect(tell: (error: null, client: object, release: () => void) => void) {
    tell(null, {}, () => undefined);
  }
}
const Thing = new EntitySchema({ name: 'thing', columns: { id: { type: 'int', primary: true } } });
const newSqlite = () =>
  new DataSource({ type: 'better-sqlite3', database: ':memory:', driver: NoConnection, entities: [Thing] });
const sqlite = newSqlite();
const postgres = new DataSource({ type: 'postgres', driver: { Pool: NoPool } });

/** What a runner of TypeORM sends on the connection that it is given. */
async function sentBy(use: (runner: QueryRunner) => Promise<unknown>, state = {}): Promise<string[]> {
  const sent: string[] = [];
  const query = (sql: string) => Promise.resolve({ rows: [], rowCount: Number(sent.push(sql)) });
  await use(Object.assign(postgres.createQueryRunner(), { databaseConnection: { query } }, state));
  return sent;
}

stillThere('typeorm', {
  'BetterSqlite3Driver.databaseConnection': async () => {
    await sqlite.driver.connect();
    return allOf(sqlite.driver).databaseConnection instanceof NoConnection;
  },
  'BetterSqlite3QueryRunner.getStmt': () => areFunctions(sqlite.createQueryRunner(), 'getStmt'),
  'PostgresDriver.master': async () => {
    await Object.assign(postgres.driver, { version: '17', database: 'a', searchSchema: 'a' }).connect();
    return allOf(postgres.driver).master instanceof NoPool;
  },
  'PostgresQueryRunner.databaseConnection': async () =>
    (await sentBy((runner) => runner.query('SELECT 1'))).join() === 'SELECT 1',
  'QueryRunner.isTransactionActive': async () =>
    (await sentBy((runner) => runner.commitTransaction(), { isTransactionActive: true })).join() === 'COMMIT',
  'QueryRunner.transactionDepth': async () =>
    (await sentBy((runner) => runner.startTransaction(), { transactionDepth: 1 })).join() === 'SAVEPOINT typeorm_1',
  'QueryRunner.broadcaster': () => {
    const runner = sqlite.createQueryRunner();
    const Broadcaster = runner.broadcaster.constructor as new (of: QueryRunner) => object;
    return allOf(new Broadcaster(runner)).queryRunner === runner;
  },
  'QueryRunner.manager': () => {
    const runner = Object.create(sqlite.createQueryRunner()) as QueryRunner;
    return sqlite.createEntityManager(runner) === runner.manager;
  },
  'DataSource.createQueryRunner': async () => {
    const own = { createQueryRunner: jest.fn(() => sqlite.driver.createQueryRunner('master')) };
    await Object.assign(newSqlite(), own)
      .query('SELECT 1')
      .catch(() => undefined);
    return own.createQueryRunner.mock.calls.length === 1;
  },
  'DataSource.createEntityManager': () => {
    const own = { createEntityManager: jest.fn() };
    Object.assign(newSqlite(), own).createQueryRunner();
    return own.createEntityManager.mock.calls.length === 1;
  },
  'DataSource.manager': () => {
    const dataSource = newSqlite();
    const manager = new EntityManager(dataSource);
    Object.assign(dataSource, { manager, hasMetadata: () => true });
    return dataSource.getRepository(Thing).manager === manager;
  },
  'Driver.normalizeType': async () => {
    const dataSource = newSqlite();
    const normalizeType = jest.spyOn(dataSource.driver, 'normalizeType');
    await dataSource.initialize();
    return normalizeType.mock.calls.some(([column]) => column.type === 'int');
  },
  'QueryFailedError.detail': () => {
    const cause = Object.assign(new Error(), { detail: 'Key (name)=(Rex) already exists.' });
    return allOf(new QueryFailedError('SELECT 1', [], cause)).detail === cause.detail;
  },
  'EntityManager.prototype': () =>
    areFunctions(EntityManager.prototype, 'save', 'remove', 'softRemove', 'recover', 'find', 'findOne', 'exists') &&
    areFunctions(EntityManager.prototype, 'insert', 'update', 'delete', 'count'),
});

/** Whether a method of the driver may be one of ours. */
const isReplaceable = (holder: object, method: string) => {
  const own = () => undefined;
  Object.assign(holder, { [method]: own });
  return areFunctions(Object.getPrototypeOf(holder) as object, method) && allOf(holder)[method] === own;
};
const newStatement = () => new Sqlite(':memory:').prepare('SELECT 1');

stillThere('better-sqlite3', {
  'Database.prepare': () => isReplaceable(new Sqlite(':memory:'), 'prepare'),
  'Statement.all': () => isReplaceable(newStatement(), 'all'),
  'Statement.iterate': () => isReplaceable(newStatement(), 'iterate'),
  'Statement.run': () => isReplaceable(newStatement(), 'run'),
});

const newQuery = () =>
  new (Query as unknown as new (config: object, done: () => void) => { prepare(connection: object): void })(
    { text: 'SELECT $1', values: [1] },
    () => undefined,
  );

/** What node-postgres asks of a connection for one statement. */
function askedFor(members: object = {}): string {
  const asked: string[] = [];
  const parsed = { parsedStatements: {}, submittedNamedStatements: {} };
  const connection = new Proxy(parsed, {
    get: (known, name) => allOf(known)[String(name)] ?? (() => asked.push(String(name))),
  });
  Object.assign(newQuery(), members).prepare(connection);
  return asked.join();
}

/** Whether a pool heeds an option. */
async function heeds(option: 'Client' | 'verify'): Promise<boolean> {
  const heeded: string[] = [];
  class NoClient extends EventEmitter {
    connect(done: () => void) {
      heeded.push('Client');
      done();
    }
    end() {}
  }
  const verify = (_: unknown, done: () => void) => {
    heeded.push('verify');
    done();
  };
  (await new Pool({ Client: NoClient, verify } as object).connect()).release();
  return heeded.includes(option);
}

stillThere('pg', {
  'Query.prepare': () => askedFor() === 'parse,bind,describe,execute,sync',
  'Query.hasBeenParsed': () => askedFor({ hasBeenParsed: () => true }) === 'bind,describe,execute,sync',
  'Query._result': () => Array.isArray(allOf(allOf(newQuery())._result).rows),
  'Query.handleRowDescription': () => areFunctions(newQuery(), 'handleRowDescription'),
  'Query.handleDataRow': () => areFunctions(newQuery(), 'handleDataRow'),
  'Query.handleCommandComplete': () => areFunctions(newQuery(), 'handleCommandComplete'),
  'Connection.sync': () => areFunctions(Connection.prototype, 'sync'),
  'Connection.stream': () => new Connection({ stream: new Socket() } as object).stream instanceof Socket,
  'Client.getStartupConf': () => String(allOf(Client.prototype)._connect).includes('.getStartupConf()'),
  'Client.processID': () => 'processID' in new Client(),
  'the option Client of Pool': () => heeds('Client'),
  'the option verify of Pool': () => heeds('verify'),
});

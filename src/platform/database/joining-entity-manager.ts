import { EntityManager, type DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import type { QueryRunner, Repository, SaveOptions } from 'typeorm';
import { isPostgres } from './dialect';
import type { CarryOut, Engine } from './engine';
import { KeptEntityManager } from './kept-entity-manager';
import { carryOutWithin, scopeOf } from './runners';
import type { Scope } from './scope';
import type { Work } from './work';

/** What it needs of UnitOfWork. */
interface Units extends Pick<Engine, 'carryOut'> {
  readonly scope: Scope | undefined;
  transact<T>(work: Work<T>): Promise<T>;
}

type Persisting = Record<string, (this: EntityManager, ...args: unknown[]) => Promise<never>>;

type IsolationLevel = Parameters<QueryRunner['startTransaction']>[0] & string;

/** TypeORM's manager, of which each transaction is a unit of work: what is done while it is open belongs to it. */
export class JoiningEntityManager extends KeptEntityManager {
  constructor(
    private readonly database: Units,
    dataSource: DataSource,
    runner?: QueryRunner,
  ) {
    super(dataSource, runner);
  }

  protected override carrying(mode: 'master' | 'slave'): CarryOut | undefined {
    const { database, queryRunner, openScope } = this;
    if (queryRunner && !openScope) {
      return undefined;
    }
    return (sql, parameters) =>
      openScope ? carryOutWithin(openScope, sql, parameters) : database.carryOut(mode, sql, parameters);
  }

  /** A savepoint where a unit is open. It is never run again. */
  override transaction<T>(isolationOrWork: IsolationLevel | Work<T>, maybeWork?: Work<T>): Promise<T> {
    const isolation = typeof isolationOrWork === 'string' ? isolationOrWork : undefined;
    const work = typeof isolationOrWork === 'string' ? maybeWork! : isolationOrWork;
    const { openScope } = this;
    if (openScope) {
      return openScope.nest(() => super.transaction(work));
    }
    return this.queryRunner
      ? super.transaction(isolation!, work)
      : this.database.transact(async (manager) => {
          if (isolation && isPostgres(manager)) {
            await manager.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
          }
          return work(manager);
        });
  }

  override save(...args: unknown[]): Promise<never> {
    return this.persist('save', args);
  }

  override remove(...args: unknown[]): Promise<never> {
    return this.persist('remove', args);
  }

  override softRemove(...args: unknown[]): Promise<never> {
    return this.persist('softRemove', args);
  }

  override recover(...args: unknown[]): Promise<never> {
    return this.persist('recover', args);
  }

  /** Throws where the table is not the service's: @nestjs/typeorm asks while the service starts. */
  override getRepository<T extends ObjectLiteral>(target: EntityTarget<T>): Repository<T> {
    if (!this.dataSource.hasMetadata(target)) {
      const name = typeof target === 'function' ? target.name : JSON.stringify(target);
      throw new Error(
        `${name} is no table of this service: list it in src/entities.ts, by the index.ts of its module.`,
      );
    }
    return super.getRepository(target);
  }

  private get openScope(): Scope | undefined {
    return this.queryRunner ? scopeOf(this.queryRunner) : this.database.scope;
  }

  /** What listeners and subscribers do belongs to the same transaction. */
  private persist(method: 'save' | 'remove' | 'softRemove' | 'recover', args: unknown[]): Promise<never> {
    const persist = (EntityManager.prototype as unknown as Persisting)[method]!; // private: EntityManager.prototype
    const isOpen = this.queryRunner ?? this.database.scope;
    const isUnwanted = (args.at(-1) as SaveOptions | undefined)?.transaction === false;
    return isOpen || isUnwanted
      ? persist.apply(this, args)
      : this.transaction((manager) => persist.apply(manager, args));
  }
}

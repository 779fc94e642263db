import { DeleteResult, EntityManager, InsertResult, UpdateResult } from 'typeorm';
import type { EntityTarget, FindManyOptions, FindOneOptions, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import type { StatementResult, CarryOut } from './engine';
import { KeptCall } from './kept-call';
import type { Method } from './kept-sql';

type Where<T> = FindOptionsWhere<T> | FindOptionsWhere<T>[];
type Insert = EntityManager['insert'];
type Update = EntityManager['update'];
type Delete = EntityManager['delete'];

/** TypeORM's manager, but that the SQL of simple calls on plain entities is written once and kept (see KeptCall). */
export abstract class KeptEntityManager extends EntityManager {
  /** How a kept statement is carried out here. Undefined where TypeORM has to do it all. */
  protected abstract carrying(mode: 'master' | 'slave'): CarryOut | undefined;

  override async find<T extends ObjectLiteral>(target: EntityTarget<T>, options?: FindManyOptions<T>): Promise<T[]> {
    return (await this.entities('find', target, options)) ?? super.find(target, options);
  }

  override async findBy<T extends ObjectLiteral>(target: EntityTarget<T>, where: Where<T>): Promise<T[]> {
    return (await this.entities('find', target, { where })) ?? super.findBy(target, where);
  }

  override async findOne<T extends ObjectLiteral>(target: EntityTarget<T>, options: FindOneOptions<T>) {
    const entities = await this.entities('findOne', target, options);
    return entities ? (entities[0] ?? null) : super.findOne(target, options);
  }

  override async findOneBy<T extends ObjectLiteral>(target: EntityTarget<T>, where: Where<T>) {
    const entities = await this.entities('findOne', target, { where });
    return entities ? (entities[0] ?? null) : super.findOneBy(target, where);
  }

  override async exists<T extends ObjectLiteral>(target: EntityTarget<T>, options?: FindManyOptions<T>) {
    const rows = await this.call('exists', target)?.rows(options ?? {});
    return rows ? rows.length > 0 : super.exists(target, options);
  }

  override async existsBy<T extends ObjectLiteral>(target: EntityTarget<T>, where: Where<T>) {
    const rows = await this.call('exists', target)?.rows({ where });
    return rows ? rows.length > 0 : super.existsBy(target, where);
  }

  override async count<T extends ObjectLiteral>(target: EntityTarget<T>, options?: FindManyOptions<T>) {
    const rows = await this.call('count', target)?.rows(options ?? {});
    return rows ? Number(rows[0]![0]) : super.count(target, options);
  }

  override async countBy<T extends ObjectLiteral>(target: EntityTarget<T>, where: Where<T>) {
    const rows = await this.call('count', target)?.rows({ where });
    return rows ? Number(rows[0]![0]) : super.countBy(target, where);
  }

  override async insert(...[target, entity]: Parameters<Insert>): Promise<InsertResult> {
    const entities = (Array.isArray(entity) ? entity : [entity]) as ObjectLiteral[];
    const answer = await this.call('insert', target)?.insert(entities);
    if (!answer) {
      return super.insert(target, entity);
    }
    const result = InsertResult.from(resultOf(answer));
    const metadata = this.dataSource.getMetadata(target);
    result.generatedMaps = entities.map(() => ({}));
    if (metadata.generatedColumns.length > 0) {
      // KeptCall takes no more than one of these at a time.
      const told: unknown = Array.isArray(answer.raw) ? answer.raw[0] : answer.raw;
      const generated = this.dataSource.driver.createGeneratedMap(metadata, told, 0, 1) ?? {};
      this.merge(target, entities[0]!, generated);
      result.generatedMaps = [generated];
    }
    const keys = metadata.primaryColumns.map(({ propertyName }) => propertyName);
    result.identifiers = entities.map((one) => Object.fromEntries(keys.map((key) => [key, one[key] as unknown])));
    return result;
  }

  override async update(...[target, criteria, entity, options]: Parameters<Update>): Promise<UpdateResult> {
    const answer = options ? undefined : await this.call('update', target)?.update(criteria as object, entity);
    return answer ? UpdateResult.from(resultOf(answer)) : super.update(target, criteria, entity, options);
  }

  override async delete(...[target, criteria]: Parameters<Delete>): Promise<DeleteResult> {
    const answer = await this.call('delete', target)?.delete(criteria as object);
    return answer ? DeleteResult.from(resultOf(answer)) : super.delete(target, criteria);
  }

  private async entities<T extends ObjectLiteral>(
    method: 'find' | 'findOne',
    target: EntityTarget<T>,
    options: FindManyOptions<T> = {},
  ): Promise<T[] | undefined> {
    return (await this.call(method, target)?.entities(options)) as T[] | undefined;
  }

  private call(method: Method, target: EntityTarget<ObjectLiteral>): KeptCall | undefined {
    const isWriting = method === 'insert' || method === 'update' || method === 'delete';
    const carryOut = this.carrying(isWriting ? 'master' : 'slave');
    return carryOut && this.dataSource.hasMetadata(target)
      ? new KeptCall(method, this.dataSource.getMetadata(target), carryOut)
      : undefined;
  }
}

const resultOf = (answer: StatementResult) => answer as Parameters<typeof InsertResult.from>[0];

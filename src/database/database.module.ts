import { Module } from '@nestjs/common';
import { Config } from '../config';
import { PostgresUnitOfWork } from './postgres/postgres-unit-of-work';
import { SqliteUnitOfWork } from './sqlite/sqlite-unit-of-work';
import { UnitOfWork } from './unit-of-work';

const openDatabase = ({ database }: Config): Promise<UnitOfWork> =>
  database.type === 'sqlite' ? SqliteUnitOfWork.open(database) : PostgresUnitOfWork.open(database);

@Module({
  providers: [{ provide: UnitOfWork, useFactory: openDatabase, inject: [Config] }],
  exports: [UnitOfWork],
})
export class DatabaseModule {}

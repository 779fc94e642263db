import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DataSource, EntityManager } from 'typeorm';
import { Config } from '../config';
import { refuseAnother, refuseSecond } from './only-data-source';
import { openDatabase } from './open-database';
import { Probe } from './probe';
import type { Entities } from './schema';
import { UnitOfWork } from './unit-of-work';

/**
 * The database, opened once for the whole app. Every module can inject UnitOfWork and DataSource without an import, and
 * its repositories by TypeOrmModule.forFeature.
 */
@Module({})
export class DatabaseModule implements OnModuleInit {
  static of(entities: Entities): DynamicModule {
    const open = (config: Config, modules: ModulesContainer) => {
      refuseAnother(modules, DatabaseModule);
      return openDatabase(config, entities);
    };
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: UnitOfWork, useFactory: open, inject: [Config, ModulesContainer] },
        { provide: DataSource, useFactory: ({ dataSource }: UnitOfWork) => dataSource, inject: [UnitOfWork] },
        { provide: EntityManager, useFactory: ({ manager }: DataSource) => manager, inject: [DataSource] },
        Probe,
      ],
      exports: [UnitOfWork, DataSource, EntityManager, Probe],
    };
  }

  constructor(
    private readonly modules: ModulesContainer,
    private readonly dataSource: DataSource,
  ) {}

  onModuleInit(): void {
    refuseSecond(this.modules, this.dataSource);
  }
}

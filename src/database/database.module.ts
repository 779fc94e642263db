import { Module, type DynamicModule } from '@nestjs/common';
import { Config } from '../config';
import { openDatabase } from './open-database';
import { Probe } from './probe';
import type { Entities } from './schema';
import { UnitOfWork } from './unit-of-work';

/** The database, opened once for the whole app. Every module can inject UnitOfWork unasked. */
@Module({})
export class DatabaseModule {
  static of(entities: Entities): DynamicModule {
    const useFactory = (config: Config) => openDatabase(config, entities);
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: UnitOfWork, useFactory, inject: [Config] }, Probe],
      exports: [UnitOfWork, Probe],
    };
  }
}

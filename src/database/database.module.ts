import { Module } from '@nestjs/common';
import { Config } from '../config';
import { openDatabase } from './open-database';
import { UnitOfWork } from './unit-of-work';

@Module({
  providers: [{ provide: UnitOfWork, useFactory: openDatabase, inject: [Config] }],
  exports: [UnitOfWork],
})
export class DatabaseModule {}

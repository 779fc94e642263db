import { Module } from '@nestjs/common';
import { Config } from '../config';
import { UnitOfWork } from './unit-of-work';

@Module({
  providers: [{ provide: UnitOfWork, useFactory: (config: Config) => UnitOfWork.open(config), inject: [Config] }],
  exports: [UnitOfWork],
})
export class DatabaseModule {}

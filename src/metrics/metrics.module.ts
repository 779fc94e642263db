import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module';
import { UserModule } from '../user';
import { Metrics } from './metrics';

@Module({
  imports: [DatabaseModule, UserModule],
  providers: [Metrics],
})
export class MetricsModule {}

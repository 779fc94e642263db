import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database';
import { PasswordModule } from '../password';
import { Metrics } from './metrics';

@Module({
  imports: [DatabaseModule, PasswordModule],
  providers: [Metrics],
})
export class MetricsModule {}

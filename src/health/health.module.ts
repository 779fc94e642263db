import { Module } from '@nestjs/common';
import { DatabaseModule } from '../database';
import { HealthController } from './health.controller';
import { Readiness } from './readiness';

@Module({
  imports: [DatabaseModule],
  controllers: [HealthController],
  providers: [Readiness],
})
export class HealthModule {}

import { Module } from '@nestjs/common';
import { PasswordModule } from '../password';
import { Metrics } from './metrics';

@Module({
  imports: [PasswordModule],
  providers: [Metrics],
})
export class MetricsModule {}

import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics';

/** Global, so that every module can register numbers of its own. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}

import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AuthModule, BearerGuard } from './auth';
import type { Clock } from './platform/common/clock';
import { ConfigModule, type Config } from './platform/config';
import { DatabaseModule } from './platform/database';
import { entities } from './entities';
import { HealthModule } from './platform/health';
import { BodyReader, ProblemFilter } from './platform/http';
import { IdempotencyModule } from './platform/idempotency';
import { MetricsModule } from './platform/metrics';
import { OpenApiModule } from './platform/openapi';
import { PetModule } from './pet';
import { UserModule } from './user';

/** The modules, and what stands around every operation. Guards are asked in this order. */
@Module({
  imports: [AuthModule, IdempotencyModule, PetModule, UserModule, HealthModule, MetricsModule, OpenApiModule],
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_GUARD, useExisting: BearerGuard },
    { provide: APP_GUARD, useClass: BodyReader },
  ],
})
export class AppModule {
  static of(config: Config, clock: Clock, more: Type[] = []): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.of(config, clock), DatabaseModule.of(entities), ...more] };
  }
}

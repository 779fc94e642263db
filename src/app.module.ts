import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { AuthModule, BearerGuard } from './auth';
import type { Clock } from './common/clock';
import { ConfigModule, type Config } from './config';
import { DatabaseModule } from './database';
import { entities } from './entities';
import { HealthModule } from './health';
import { BodyReader, ProblemFilter, RulesPipe } from './http';
import { IdempotencyModule } from './idempotency';
import { LogInModule } from './log-in';
import { MetricsModule } from './metrics';
import { OpenApiModule } from './openapi';
import { PetModule } from './pet';
import { UserModule } from './user';

/** The modules, and what stands around every operation. Guards are asked in this order. */
@Module({
  imports: [
    AuthModule,
    IdempotencyModule,
    PetModule,
    LogInModule,
    UserModule,
    HealthModule,
    MetricsModule,
    OpenApiModule,
  ],
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_GUARD, useExisting: BearerGuard },
    { provide: APP_GUARD, useClass: BodyReader },
    { provide: APP_PIPE, useClass: RulesPipe },
  ],
})
export class AppModule {
  static of(config: Config, clock: Clock, more: Type[] = []): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.of(config, clock), DatabaseModule.of(entities), ...more] };
  }
}

import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AuthModule } from './auth';
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

/** The modules, and what stands around every operation; the guard is the auth module's. */
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
    { provide: APP_PIPE, useClass: RulesPipe },
    { provide: APP_INTERCEPTOR, useClass: BodyReader },
  ],
})
export class AppModule {
  static of(config: Config, clock: Clock, more: Type[] = []): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.of(config, clock), DatabaseModule.of(entities), ...more] };
  }
}

import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { JsonBodyInterceptor } from './http';
import { ProblemFilter } from './http';
import { ValidationPipe } from './http';
import type { Clock } from './common/clock';
import type { Config } from './config';
import { ConfigModule } from './config';
import { DatabaseModule } from './database';
import { entities } from './entities';
import { HealthModule } from './health';
import { LogInModule } from './log-in';
import { MetricsModule } from './metrics';
import { PetModule } from './pet';
import { UserModule } from './user';

@Module({
  imports: [PetModule, LogInModule, UserModule, HealthModule, MetricsModule],
  providers: [
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useClass: ValidationPipe },
  ],
})
export class AppModule {
  static of(config: Config, clock: Clock): DynamicModule {
    return {
      module: AppModule,
      imports: [ConfigModule.of(config, clock), DatabaseModule.of(entities)],
      providers: [{ provide: APP_INTERCEPTOR, useValue: new JsonBodyInterceptor(config.bodyLimit) }],
    };
  }
}

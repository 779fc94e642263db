import { Module, type DynamicModule } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Config } from './config';

/** What comes from outside the program: the settings and the time. Every module can inject both. */
@Module({})
export class ConfigModule {
  static of(config: Config, clock: Clock): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [
        { provide: Config, useValue: config },
        { provide: Clock, useValue: clock },
      ],
      exports: [Config, Clock],
    };
  }
}

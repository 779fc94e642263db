import { Module, type DynamicModule } from '@nestjs/common';
import { Config } from './config';

/** The settings, the only thing every module can inject unasked: a value without behaviour. */
@Module({})
export class ConfigModule {
  static of(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: Config, useValue: config }],
      exports: [Config],
    };
  }
}

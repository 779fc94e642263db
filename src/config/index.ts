export { Config, loadConfig, SETTINGS, type Door, type PostgresConfig, type SqliteConfig } from './config';
export { ConfigModule } from './config.module';
export { givenNames, InvalidConfig } from './settings';

export { Config, loadConfig, RETIRED_SETTINGS, type PostgresConfig, type SqliteConfig } from './config';
export { ConfigModule } from './config.module';
export { givenNames, InvalidConfig, isOfKubernetes, settingsIn } from './setting';
export { SETTINGS } from './settings';

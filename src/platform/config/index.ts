export {
  Config,
  DOOR_SETTINGS,
  loadConfig,
  RETIRED_SETTINGS,
  SETTINGS,
  type Door,
  type PostgresConfig,
  type SqliteConfig,
} from './config';
export { ConfigModule } from './config.module';
export { givenNames, InvalidConfig, isOfKubernetes } from './settings';

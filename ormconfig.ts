import 'reflect-metadata';
import { loadConfig } from './src/platform/config';
import { maintenanceDataSource } from './src/platform/database';
import { entities } from './src/entities';

export default maintenanceDataSource(loadConfig(process.env).database, entities);

import 'reflect-metadata';
import { loadConfig } from './src/config';
import { maintenanceDataSource } from './src/database';
import { entities } from './src/entities';

export default maintenanceDataSource(loadConfig(process.env).database, entities);

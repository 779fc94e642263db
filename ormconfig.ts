import 'reflect-metadata';
import { DataSource } from 'typeorm';
// Brings in every module, and with it every entity.
import './src/app.module';
import { loadConfig } from './src/config';
import { maintenanceOptions } from './src/database';

export default new DataSource(maintenanceOptions(loadConfig(process.env).database));

import 'reflect-metadata';
import { DataSource } from 'typeorm';
// Brings in every module, and with it every entity.
import './src/app.module';
import { loadConfig } from './src/config';
import { maintenanceOptions } from './src/database/postgres/postgres-migration';
import { writerOptions } from './src/database/sqlite/sqlite.options';

const { database } = loadConfig(process.env);

export default new DataSource(database.type === 'sqlite' ? writerOptions(database) : maintenanceOptions(database));

import 'reflect-metadata';
import { DataSource } from 'typeorm';
// Brings in every module, and with it every entity.
import './src/app.module';
import { loadConfig } from './src/config';
import { writerOptions } from './src/database/database.options';

export default new DataSource(writerOptions(loadConfig(process.env)));

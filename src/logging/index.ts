export { AppLogger } from './logger';

export { AppLogger } from './logger';
export { standardOutput } from './standard-output';

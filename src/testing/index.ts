/** What suites start the service with: `import { startService } from 'pet-user-service/testing'`. */
export type { Clock } from '../platform/common/clock';
export { SettableClock } from './settable-clock';
export type { Actions, Credentials } from './actions';
export { startService, type RunningService, type ServiceOptions } from './start-service';
export { temporaryFile, temporaryPostgres, type TemporaryDatabase } from './temporary-database';

import { authEntities } from './auth';
import type { Entities } from './platform/database';
import { idempotencyEntities } from './platform/idempotency';
import { petEntities } from './pet';
import { userEntities } from './user';

/** Every table of the service. Each module lists its own in its index.ts, for this list alone. */
export const entities: Entities = [...petEntities, ...userEntities, ...authEntities, ...idempotencyEntities];

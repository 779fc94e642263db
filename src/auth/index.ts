import { Device } from './device.entity';
import { Session } from './session.entity';

/** Who is calling? Sessions, tokens, and the guard before every operation. Knows no users, only their ids. */
export { AuthModule } from './auth.module';
export { BadCredentials } from './auth.problems';
export { bearerToken } from './bearer-token';
export { BearerGuard } from './bearer.guard';
export { discoverKeys, WrongIssuer } from './issuer-metadata';
export { Devices, type DeviceCookie } from './devices';
export { HASH_BOUNDS, isHashInBounds } from './password/hash-bounds';
export { Passwords } from './password/passwords';
export { SessionService } from './session.service';

export const authEntities = [Session, Device];

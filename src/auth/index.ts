import { Session } from './session.entity';

export { AuthModule } from './auth.module';
export { BadCredentials, UNAUTHORIZED } from './auth.problems';
export { ACCESS, Access, BearerGuard } from './bearer.guard';
export { SessionService } from './session.service';

export const authEntities = [Session];

import { LoginFailures } from './log-in/login-failures.entity';
import { User } from './user.entity';

export { UserListPipe } from './user-list.pipe';
export { UserModule } from './user.module';
export { allUsers, assertHashesInBounds, countUsers, UserRecords, type UserRecord } from './user-records';
export { UserService } from './user.service';

export const userEntities = [User, LoginFailures] as const;

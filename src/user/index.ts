import { User } from './user.entity';

export { UserListPipe } from './user-list.pipe';
export { UserModule } from './user.module';
export { allUsers, countUsers, UserRecords, type UserRecord } from './user-records';
export { UserService } from './user.service';

export const userEntities = [User];

export { UserListPipe } from './user-list.pipe';
export { UserModule } from './user.module';
export { UserService } from './user.service';

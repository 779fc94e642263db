export { UserModule } from './user.module';

export { PasswordModule } from './password.module';
export { Passwords } from './passwords';

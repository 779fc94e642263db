import { LoginFailures } from './login-failures.entity';

export { LogInModule } from './log-in.module';

export const logInEntities = [LoginFailures];

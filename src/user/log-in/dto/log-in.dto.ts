import { ApiSchema } from '@nestjs/swagger';
import { Example, IsFilled, IsSecret, IsText } from '../../../platform/http';

/** Query of GET /v2/user/login, or body of POST. A parameter given twice arrives as an array and is refused. */
@ApiSchema({ name: 'Credentials' })
export class LogInDto {
  @Example('tess') @IsFilled() @IsText() username: string;
  @Example('correct horse') @IsFilled() @IsSecret(1_024) password: string;
}

export const logInExamples = {
  credentials: { summary: 'A user', value: { username: 'tess', password: 'correct horse' } },
};

import { IsFilled, IsSecret, IsText } from '../../http';

/** Query of GET /v2/user/login, or body of POST. A parameter given twice arrives as an array and is refused. */
export class LogInDto {
  @IsFilled() @IsText() username: string;
  @IsFilled() @IsSecret(1_024) password: string;
}

export const logInExamples = {
  credentials: { summary: 'A user', value: { username: 'tess', password: 'correct horse battery staple' } },
};

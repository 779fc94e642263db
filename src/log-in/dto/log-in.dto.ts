import { IsNotEmpty, IsSecret, IsText } from '../../http';

/** Query of GET /v2/user/login; a parameter given twice arrives as an array and is refused. */
export class LogInDto {
  @IsNotEmpty() @IsText() username: string;
  @IsNotEmpty() @IsSecret(1_024) password: string;
}

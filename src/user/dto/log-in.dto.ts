import { MinLength } from 'class-validator';
import { IsSecret, IsText } from '../../common/rules';

const notEmpty = { message: 'must not be empty' };

/** Query of GET /v2/user/login; a parameter given twice arrives as an array and is refused. */
export class LogInDto {
  @MinLength(1, notEmpty) @IsText() username: string;
  @MinLength(1, notEmpty) @IsSecret(1_024) password: string;
}

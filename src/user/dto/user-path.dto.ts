import { IsText, Meaning } from '../../http';

/** Which user a path names. */
export class UserPath {
  @Meaning('Compared in Unicode NFC, by letter case') @IsText() username: string;
}

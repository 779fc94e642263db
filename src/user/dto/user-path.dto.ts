import { Example, IsText, Meaning } from '../../platform/http';

/** Which user a path names. */
export class UserPath {
  @Meaning('Compared in Unicode NFC, by letter case') @Example('tess') @IsText() username: string;
}

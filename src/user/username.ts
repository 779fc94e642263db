import { applyDecorators } from '@nestjs/common';
import { IsText, rule } from '../platform/http';

/** Words that stand in the place of a username in an address: a user of such a name could never be read. */
const WORDS = ['login', 'logout', 'createWithList', 'createWithArray', '.', '..'];
/** What nobody sees: white space at the ends, and anywhere control, format and separator characters. */
const UNSEEN = /^\p{White_Space}|\p{White_Space}$|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a user may have the name from now on; those of earlier releases may have others. */
export const isUsername = (text: string): boolean => !WORDS.includes(text) && !UNSEEN.test(text);

export const USERNAME_RULE =
  `must not be one of ${WORDS.join(', ')}, ` +
  'or begin or end with white space, or hold control, format or separator characters';

/** A username that a user may have from now on. */
export const IsUsername = () =>
  applyDecorators(
    IsText(),
    rule('isUsername', (value) => typeof value !== 'string' || isUsername(value), USERNAME_RULE, {
      not: { enum: WORDS },
      // The characters that every language's expressions know; the description has them all.
      pattern: '^(?:[^\\s\\x00-\\x1f\\x7f-\\x9f](?:[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?)?$',
      description:
        'Compared in Unicode NFC, by letter case. Without white space at its ends, and without control, format, ' +
        'line and paragraph separator characters (Cc, Cf, Zl, Zp)',
    }),
  );

/** Usernames are compared in Unicode NFC, by letter case. */
export const toUsername = (text: string): string => text.normalize('NFC');

import { applyDecorators } from '@nestjs/common';
import { IsNoneOf, IsText } from '../http';

/** Words that stand in the place of a username in an address: a user of such a name could never be read. */
export const PATHS = ['login', 'logout', 'createWithList', 'createWithArray'];

/** A username that a user may have from now on. */
export const IsUsername = () => applyDecorators(IsText(), IsNoneOf(PATHS));

/** Usernames are compared in Unicode NFC, by letter case. */
export const toUsername = (text: string): string => text.normalize('NFC');

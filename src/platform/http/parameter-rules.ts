import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { toInt64 } from '../common/json';
import { IsInt64, IsText, isText, MayBeAbsent, rule, textRule, textSchema } from './rules';

/*
 * The rules for values of the path and of the query, which arrive as text. They read it as exactly as JSON is read;
 * what they cannot read they leave as it is, and it breaks the rule. A parameter that is given more than once arrives
 * as an array, which only a list accepts.
 */

/** One number has one spelling, so that a thing has one address: no plus and no zeros before it. */
const CANONICAL_INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const WRITTEN = ', without a plus or zeros before it';

const read = (reading: (value: unknown) => unknown) => Transform(({ value }) => reading(value));

const readInt64 = (text: unknown) => (typeof text === 'string' && CANONICAL_INTEGER.test(text) ? toInt64(text) : text);

/** An int64 in decimal digits, exactly: a number while it is exact as one, else a bigint. */
export const IsInt64Text = (min?: bigint) => applyDecorators(read(readInt64), IsInt64(min, WRITTEN));

/** How many elements a page has: the most, and where nothing is said. */
export const PAGE_SIZE = { max: 1_000, default: 100 } as const;

/** Goes with `limit: number = PAGE_SIZE.default`. */
export const IsPageSize = () =>
  applyDecorators(
    read(readInt64),
    rule(
      'isPageSize',
      (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= PAGE_SIZE.max,
      `must be an integer from 1 to ${PAGE_SIZE.max}${WRITTEN}`,
      { type: 'integer', format: 'int32', minimum: 1, maximum: PAGE_SIZE.max, default: PAGE_SIZE.default },
    ),
  );

/** Says where a page begins; only its maker can read it. */
export const IsCursor = () =>
  applyDecorators(IsText(), ApiProperty({ description: 'Opaque; the `Link` of the page before has it' }));

/** Where a page begins, and how long it is; for a query class to extend. */
export class PageQuery {
  @MayBeAbsent() @IsPageSize() limit: number = PAGE_SIZE.default;
  @MayBeAbsent() @IsCursor() cursor?: string;
}

/** `a=1&a=2`, `a=1,2` and both together; what stands twice counts once. */
function readList(value: unknown): unknown {
  return [...new Set([value].flat().flatMap((text) => (typeof text === 'string' ? text.split(',') : [text])))];
}

const MANY = 'May be given more than once, or with commas, or both';

/** At least one of these words; where the parameter may be absent, what it means then. */
export const IsOneOfList = (choices: readonly string[], meant?: string[]) =>
  applyDecorators(
    read(readList),
    rule(
      'isOneOfList',
      (value) => isFilledList(value) && value.every((item) => choices.includes(item as string)),
      `must be at least one of ${choices.join(', ')}`,
      { type: 'array', minItems: 1, items: { type: 'string', enum: [...choices] }, default: meant, description: MANY },
    ),
  );

/**
 * At least one text and at most `maxItems`, of at most `max` characters each, none of them empty. A parameter that is
 * given once is split at commas; of one that is given more than once, each is taken as it is.
 */
export const IsTextListParameter = (max: number, maxItems: number) =>
  applyDecorators(
    read((value) => (Array.isArray(value) ? [...new Set(value)] : readList(value))),
    rule(
      'isTextListParameter',
      (value) =>
        isFilledList(value) && value.length <= maxItems && value.every((item) => isText(item, max) && item !== ''),
      `must be at least one and at most ${maxItems} strings; each must not be empty, and ${textRule(max)}`,
      {
        type: 'array',
        minItems: 1,
        maxItems,
        items: { ...textSchema(max), minLength: 1 },
        description: 'Given once, it is split at commas; given more than once, each is taken as it is',
      },
    ),
  );

const isFilledList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

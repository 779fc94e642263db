import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, ValidateBy, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';

/*
 * The rules that DTO members are made of: each checks a value and says the same in the OpenAPI document.
 * None converts a value. `null` on an optional member is as good as absent.
 */

const SHORT = 255;
const LONE_SURROGATE = /\p{Surrogate}/u;

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** The member may be absent, or null. */
export const MayBeAbsent = () => applyDecorators(IsOptional(), ApiProperty({ required: false, nullable: true }));

/** A sentence on a member, for the OpenAPI document. */
export const Meaning = (description: string) => ApiProperty({ description });

/** A value that works as it stands, for the OpenAPI document. */
export const Example = (example: unknown) => ApiProperty({ example });

/** A rule of one's own: whether a value keeps it, the message where it does not, and the same as a schema. */
export const rule = (
  name: string,
  holds: (value: unknown) => boolean,
  message: string,
  schema: Partial<ApiPropertyOptions> = {},
) =>
  applyDecorators(
    ValidateBy({ name, validator: { validate: holds, defaultMessage: () => message } }),
    ApiProperty(schema as ApiPropertyOptions),
  );

/** PostgreSQL cannot hold U+0000 or lone surrogates, SQLite would change them: refused on both. */
export function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && isAtMost(value, max) && !value.includes('\0') && !LONE_SURROGATE.test(value);
}

/** Characters are counted as JSON Schema and PostgreSQL do: a pair of surrogates is one. */
const isAtMost = (text: string, max: number) =>
  text.length <= max || (text.length <= 2 * max && Array.from(text).length <= max);

// No schema language says "no lone surrogates" alike for every programming language; U+0000 can be said.
const NO_NUL = '^[^\\x00]*$';
const NOT_BLANK = '^[^\\x00]*[^\\s\\x00][^\\x00]*$';
export const textSchema = (max: number) => ({ type: 'string', maxLength: max, pattern: NO_NUL }) as const;

export const textRule = (max: number) =>
  `must be a string of at most ${max} characters, without U+0000 or lone surrogates`;

/** A string of at most `max` characters that every database keeps as it is. */
export const IsText = (max = SHORT) => rule('isText', (value) => isText(value, max), textRule(max), textSchema(max));

/** The same, with at least one character that is not white space. */
export const IsName = () =>
  rule('isName', (value) => isText(value, SHORT) && value.trim() !== '', `must not be blank, and ${textRule(SHORT)}`, {
    ...textSchema(SHORT),
    minLength: 1,
    pattern: NOT_BLANK,
  });

/** At most `maxItems` strings of at most `max` characters each. */
export const IsTextList = (max: number, maxItems: number) =>
  rule(
    'isTextList',
    (value) => Array.isArray(value) && value.length <= maxItems && value.every((item) => isText(item, max)),
    `must be an array of at most ${maxItems} strings; each ${textRule(max)}`,
    { type: 'array', maxItems, items: textSchema(max) },
  );

/** A string of at most `max` bytes in UTF-8. */
export const IsSecret = (max: number) =>
  rule(
    'isSecret',
    (value) => isText(value, max) && Buffer.byteLength(value) <= max,
    `must be a string of at most ${max} bytes, without U+0000 or lone surrogates`,
    { ...textSchema(max), format: 'password', description: `At most ${max} bytes in UTF-8` },
  );

export const IsFilled = () => rule('isFilled', (value) => value !== '', 'must not be empty', { minLength: 1 });

export const IsOneOf = (choices: readonly string[]) =>
  rule('isOneOf', (value) => choices.includes(value as string), `must be one of ${choices.join(', ')}`, {
    type: 'string',
    enum: [...choices],
  });

const isIntegerWithin = (value: unknown, min: bigint, max: bigint) =>
  (typeof value === 'bigint' || Number.isSafeInteger(value)) &&
  (value as number | bigint) >= min &&
  (value as number | bigint) <= max;

/** An int64, exactly; class-validator's own rule would take a rounded one. `written` goes on in the message. */
export const IsInt64 = (min = MIN_INT64, written = '') =>
  rule(
    'isInt64',
    (value) => isIntegerWithin(value, min, MAX_INT64),
    `must be an integer from ${min} to ${MAX_INT64}${written}`,
    { type: 'integer', format: 'int64', minimum: min === MIN_INT64 ? undefined : Number(min) },
  );

const MIN_INT32 = -(2n ** 31n);
const MAX_INT32 = 2n ** 31n - 1n;

export const IsInt32 = () =>
  rule(
    'isInt32',
    (value) => isIntegerWithin(value, MIN_INT32, MAX_INT32),
    `must be an integer from ${MIN_INT32} to ${MAX_INT32}`,
    { type: 'integer', format: 'int32', minimum: Number(MIN_INT32), maximum: Number(MAX_INT32) },
  );

/** A nested object; arrays and scalars are refused. */
export const IsNested = (dto: () => new () => object) =>
  applyDecorators(
    rule('isNested', isPlainObject, 'must be an object', { type: () => dto() }),
    ValidateNested(),
    Type(dto),
  );

/** At most `maxItems` nested objects; null, scalars and arrays are refused as elements. */
export const IsNestedList = (dto: () => new () => object, maxItems: number) =>
  applyDecorators(
    IsArray({ message: 'must be an array' }),
    ArrayMaxSize(maxItems, { message: `must hold at most ${maxItems} elements` }),
    rule('isObjectList', isObjectList, 'must hold objects only', { type: () => dto(), isArray: true, maxItems }),
    ValidateNested({ each: true }),
    Type(dto),
  );

const isObjectList = (value: unknown) => Array.isArray(value) && value.every(isPlainObject);

const isPlainObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

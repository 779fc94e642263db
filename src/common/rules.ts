import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsObject, IsOptional, ValidateBy, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';

/*
 * The rules that DTO members are made of. None converts a value. `null` on an optional member is as good as absent.
 */

const SHORT = 255;
const LONE_SURROGATE = /\p{Surrogate}/u;

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** Nothing wrong with an absent member. */
export const Optional = IsOptional;

const rule = (name: string, holds: (value: unknown) => boolean, message: string) =>
  ValidateBy({ name, validator: { validate: holds, defaultMessage: () => message } });

/** PostgreSQL cannot hold U+0000 or lone surrogates, SQLite would change them: refused on both. */
function isText(value: unknown, max: number): value is string {
  return typeof value === 'string' && value.length <= max && !value.includes('\0') && !LONE_SURROGATE.test(value);
}

const textRule = (max: number) => `must be a string of at most ${max} characters, without U+0000 or lone surrogates`;

/** A string of at most `max` UTF-16 code units that every database keeps as it is. */
export const IsText = (max = SHORT) => rule('isText', (value) => isText(value, max), textRule(max));

/** The same, with at least one character that is not white space. */
export const IsName = () =>
  rule('isName', (value) => isText(value, SHORT) && value.trim() !== '', `must not be blank, and ${textRule(SHORT)}`);

/** At most `maxItems` strings of at most `max` UTF-16 code units each. */
export const IsTextList = (max: number, maxItems: number) =>
  rule(
    'isTextList',
    (value) => Array.isArray(value) && value.length <= maxItems && value.every((item) => isText(item, max)),
    `must be an array of at most ${maxItems} strings; each ${textRule(max)}`,
  );

/** A string of at most `max` bytes in UTF-8. */
export const IsSecret = (max: number) =>
  rule(
    'isSecret',
    (value) => isText(value, max) && Buffer.byteLength(value) <= max,
    `must be a string of at most ${max} bytes, without U+0000 or lone surrogates`,
  );

const isIntegerWithin = (value: unknown, min: bigint, max: bigint) =>
  (typeof value === 'bigint' || Number.isSafeInteger(value)) &&
  (value as number | bigint) >= min &&
  (value as number | bigint) <= max;

/** An int64, exactly; class-validator's own rule would take a rounded one. */
export const IsInt64 = (min = MIN_INT64) =>
  rule('isInt64', (value) => isIntegerWithin(value, min, MAX_INT64), `must be an integer from ${min} to ${MAX_INT64}`);

export const IsInt32 = () =>
  rule('isInt32', (value) => isIntegerWithin(value, -(2n ** 31n), 2n ** 31n - 1n), 'must be a 32-bit integer');

/** A nested object; arrays and scalars are refused. */
export const IsNested = (dto: () => new () => object) =>
  applyDecorators(
    IsObject({ message: 'must be an object' }),
    rule('isNotArray', (value) => !Array.isArray(value), 'must be an object'),
    ValidateNested(),
    Type(dto),
  );

/** At most `maxItems` nested objects; null, scalars and arrays are refused as elements. */
export const IsNestedList = (dto: () => new () => object, maxItems: number) =>
  applyDecorators(
    IsArray({ message: 'must be an array' }),
    ArrayMaxSize(maxItems, { message: `must hold at most ${maxItems} elements` }),
    rule('isObjectList', isObjectList, 'must hold objects only'),
    ValidateNested({ each: true }),
    Type(dto),
  );

const isObjectList = (value: unknown) =>
  Array.isArray(value) &&
  value.every((item: unknown) => typeof item === 'object' && item !== null && !Array.isArray(item));

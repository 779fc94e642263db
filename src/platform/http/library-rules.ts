import type { Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { isText } from './rules';

/*
 * What class-validator's own decorators lack, so that they are as good as ours: they stand in the OpenAPI document too,
 * and take no value that would be stored as another one.
 */

type Schema = Record<string, unknown>;
type Constraints = readonly unknown[];

/** A rule on a member, as class-validator keeps it. */
interface LibraryRule {
  type: string;
  name?: string;
  constraints?: unknown[];
  each: boolean;
}

const text = (format?: string): Schema => ({ type: 'string', format });

function oneOf(choices: unknown): Schema {
  const values = Object.values(choices as object) as unknown[];
  const [type, ...others] = new Set(values.map((value) => typeof value));
  return { type: others.length === 0 ? type : undefined, enum: values };
}

/** A schema knows no flags: one that ignores case would refuse in clients what the service takes. */
const patternOf = ({ source, flags }: RegExp) => (/^[gu]*$/.test(flags) ? source : undefined);

/** What a rule says in a schema, by the name that class-validator gives it. */
const SCHEMAS: Record<string, (constraints: Constraints) => Schema> = {
  isString: () => text(),
  isEmail: () => text('email'),
  isUrl: () => text('uri'),
  isUuid: () => text('uuid'),
  isDateString: () => text('date-time'),
  isIso8601: () => text('date-time'),
  matches: ([pattern, flags]) => ({ ...text(), pattern: patternOf(new RegExp(pattern as RegExp, flags as string)) }),
  isInt: () => ({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  isNumber: () => ({ type: 'number' }),
  isBoolean: () => ({ type: 'boolean' }),
  isDate: () => text('date-time'),
  isIn: ([choices]) => oneOf(choices),
  isEnum: ([, choices]) => oneOf(choices),
  isNotEmpty: () => ({ minLength: 1 }),
  isLength: ([minLength, maxLength]) => ({ ...text(), minLength, maxLength }),
  minLength: ([minLength]) => ({ ...text(), minLength }),
  maxLength: ([maxLength]) => ({ ...text(), maxLength }),
  min: ([minimum]) => ({ minimum }),
  max: ([maximum]) => ({ maximum }),
  isPositive: () => ({ exclusiveMinimum: 0 }),
  isNegative: () => ({ exclusiveMaximum: 0 }),
  isDivisibleBy: ([multipleOf]) => ({ multipleOf }),
  isObject: () => ({ type: 'object' }),
  isArray: () => ({ type: 'array' }),
  arrayMaxSize: ([maxItems]) => ({ type: 'array', maxItems }),
  arrayMinSize: ([minItems]) => ({ type: 'array', minItems }),
  arrayNotEmpty: () => ({ type: 'array', minItems: 1 }),
  arrayUnique: () => ({ type: 'array', uniqueItems: true }),
};

/** Describes a member in the OpenAPI document where its decorators do not; `nested` is the class of its objects. */
export function describeMember(dto: Type, name: string, rules: readonly LibraryRule[], nested?: Type): void {
  const prototype = dto.prototype as object;
  const own = schemaOf(rules.filter(({ each }) => !each));
  const ofItems = schemaOf(rules.filter(({ each }) => each));
  const isList = own.type === 'array' || rules.some(({ each }) => each);
  const isOptional = rules.some((rule) => rule.name === 'isOptional');
  const items = isList && !nested ? { type: 'array', items: ofItems } : {};
  const described = {
    ...own,
    ...items,
    ...(nested && { type: () => nested, isArray: isList || undefined }),
    ...(isOptional && { required: false, nullable: true }),
  };
  const { type, ...said } = (Reflect.getMetadata(MEMBER, prototype, name) ?? {}) as Schema;
  const isSaid = type !== undefined && type !== Reflect.getMetadata('design:type', prototype, name);
  ApiProperty({ ...described, ...said, ...(isSaid && { type }) } as ApiPropertyOptions)(prototype, name);
}

/** Where @nestjs/swagger keeps what is said of a member. */
const MEMBER = 'swagger/apiModelProperties'; // private: swagger/apiModelProperties

/** Of several bounds the narrowest holds. */
function schemaOf(rules: readonly LibraryRule[]): Schema {
  const all: Schema = {};
  for (const { name = '', constraints = [] } of rules) {
    for (const [keyword, value] of Object.entries(SCHEMAS[name]?.(constraints) ?? {})) {
      const before = all[keyword];
      if (value !== undefined) {
        all[keyword] =
          typeof value !== 'number' || typeof before !== 'number'
            ? value
            : keyword.startsWith('max')
              ? Math.min(value, before)
              : Math.max(value, before);
      }
    }
  }
  return all;
}

type Decision = (value: unknown, constraints: Constraints) => string | true | undefined;

const TOO_LARGE =
  `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}; ` +
  'a member with @IsInt64 takes larger ones';
/** parseJson makes such a number infinite or NaN. */
const INEXACT = 'must be a number that is not rounded as a double';
const UNSTORABLE = 'must be a string without U+0000 or lone surrogates';

const isInexact = (value: unknown) => typeof value === 'number' && !Number.isFinite(value);
const isLarge = (value: unknown): value is bigint => typeof value === 'bigint' && !Number.isSafeInteger(Number(value));
const isRounded = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value);
const storable = (value: unknown) => (typeof value === 'string' && !isText(value, Infinity) ? UNSTORABLE : undefined);
const compared =
  (holds: (value: bigint, bound: number) => boolean): Decision =>
  (value: unknown, [bound]: Constraints) =>
    isLarge(value) && holds(value, bound as number) ? true : undefined;

/**
 * Rules that are decided here, by name: the fault of a value that class-validator would take although it is rounded or
 * no database keeps it; true for an exact integer that class-validator does not know; undefined where it decides.
 */
export const DECIDED_HERE: Record<string, Decision> = {
  isInt: (value) => (isLarge(value) || isRounded(value) || isInexact(value) ? TOO_LARGE : undefined),
  isNumber: (value) => (isLarge(value) || isInexact(value) ? INEXACT : undefined),
  min: compared((value, min) => value >= min),
  max: compared((value, max) => value <= max),
  isPositive: compared((value) => value > 0n),
  isNegative: compared((value) => value < 0n),
  isString: storable,
  isNotEmpty: storable,
  isUrl: storable,
  matches: storable,
  isLength: storable,
  minLength: storable,
  maxLength: storable,
};

import type { Type } from '@nestjs/common';
import { TransformationType } from 'class-transformer';
// eslint-disable-next-line no-restricted-syntax -- private: findTypeMetadata
import { defaultMetadataStorage as conversions } from 'class-transformer/cjs/storage';
import {
  getMetadataStorage,
  ValidationTypes,
  type ValidationArguments,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { DECIDED_HERE, describeMember } from './library-rules';

const { CUSTOM_VALIDATION, IS_DEFINED, NESTED_VALIDATION, PROMISE_VALIDATION, CONDITIONAL_VALIDATION } =
  ValidationTypes;

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
/** Null where the value keeps the rule, else what is wrong. */
export type Rule = (value: unknown, object: object) => string | null;

export interface Member {
  name: string;
  /** The name as one part of a JSON Pointer (RFC 6901). */
  token: string;
  /** The rules count only where all of these hold: `MayBeAbsent`, class-validator's `ValidateIf`. */
  conditions: ((object: object, value: unknown) => boolean)[];
  rules: Rule[];
  /** class-transformer's `Transform`; only parameters have it, since they arrive as text. */
  conversions: ((value: unknown, object: object) => unknown)[];
  /** For an object, or for each element of an array. */
  nested?: Type<object>;
  /** For what is neither. */
  notNested: Rule;
}

/** What a DTO class says of its members. Throws an Error where its decorators do not say what to check. */
export function membersOf(dto: Type<object>): Member[] {
  // private: getExposedMetadatas, getExcludedMetadatas
  if (conversions.getExposedMetadatas(dto).length > 0 || conversions.getExcludedMetadatas(dto).length > 0) {
    throw new Error(
      `${dto.name}: members are what is on the wire, and @Expose and @Exclude change that: ` +
        'leave them out, or give the parameter a ValidationPipe of its own',
    );
  }
  const storage = getMetadataStorage();
  // private: getTargetValidationMetadatas, groupByPropertyName
  const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(dto, '', false, false));
  return Object.entries(rules).map(([name, metadata]) => memberOf(dto, name, metadata));
}

function memberOf(dto: Type<object>, name: string, metadata: Metadata[]): Member {
  const ofKind = (...kinds: string[]) => metadata.filter(({ type }) => kinds.includes(type)); // private: kinds of rules
  const [nested] = ofKind(NESTED_VALIDATION);
  const type = conversions.findTypeMetadata(dto, name);
  const target = type?.typeFunction() as Type<object> | undefined;
  const convert = CONVERSIONS.get(target);
  if (ofKind(PROMISE_VALIDATION).length > 0 || type?.options?.discriminator) {
    throw new Error(
      `${dto.name}.${name}: give the parameter a ValidationPipe of its own for a promise or a discriminator.`,
    );
  }
  if ((nested === undefined) !== (target === undefined || convert !== undefined)) {
    throw new Error(
      `${dto.name}.${name}: a nested object is declared by @ValidateNested() and @Type(() => Its) together, ` +
        'or by @IsNested or @IsNestedList',
    );
  }
  describeMember(dto, name, metadata, nested && target);
  return {
    name,
    token: name.replaceAll('~', '~0').replaceAll('/', '~1'),
    conditions: ofKind(CONDITIONAL_VALIDATION).map(({ constraints }) => (constraints as Member['conditions'])[0]!),
    rules: ofKind(CUSTOM_VALIDATION, IS_DEFINED).flatMap((rule) => rulesOf(dto, rule)),
    conversions: [
      ...(convert ? [convert] : []),
      ...conversions
        // private: findTransformMetadatas
        .findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS)
        .map(({ transformFn }) => (value: unknown, obj: object) => {
          const options = {};
          return transformFn({ value, key: name, obj, type: TransformationType.PLAIN_TO_CLASS, options }) as unknown;
        }),
    ],
    nested: nested && target,
    notNested: nested
      ? (value, object) => messageOf(nested, undefined, argumentsOf(dto, nested)(value, object))
      : () => null,
  };
}

/**
 * What `@Type` makes of a value, or of each in an array. Objects are left alone: class-transformer would convert them
 * too, to nothing sensible.
 */
const CONVERSIONS = new Map<unknown, Member['conversions'][number]>([
  [String, converting(String)],
  [Number, converting(Number)],
  [Boolean, converting(Boolean)],
  [Date, converting((value) => new Date(value as string))],
]);

function converting(make: (scalar: unknown) => unknown): (value: unknown) => unknown {
  const convert = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(convert) : isScalar(value) ? make(value) : value;
  return convert;
}

const isScalar = (value: unknown) => /^(string|number|boolean)$/.test(typeof value);

function rulesOf(dto: Type<object>, metadata: Metadata): Rule[] {
  const { constraintCls, name = '', constraints = [] } = metadata;
  // private: getTargetValidatorConstraints
  const kept = getMetadataStorage().getTargetValidatorConstraints(constraintCls);
  return kept.map(({ instance, async }) => {
    if (async) {
      throw new Error(`${dto.name}.${metadata.propertyName}: a rule answers at once; ask the database elsewhere.`);
    }
    const detailsOf = argumentsOf(dto, metadata);
    const decided = DECIDED_HERE[name]; // private: the name of a rule
    const judge = (value: unknown, details: ValidationArguments) => {
      const verdict = decided?.(value, constraints as unknown[]) ?? keeps(instance, value, details);
      return typeof verdict === 'string'
        ? messageOf({ ...metadata, message: metadata.message || verdict }, instance, details)
        : verdict
          ? null
          : messageOf(metadata, instance, details);
    };
    return (value, object) => {
      if (metadata.validateIf && !metadata.validateIf(object, value)) {
        return null;
      }
      const details = detailsOf(value, object);
      if (metadata.each && Array.isArray(value)) {
        return value.map((item) => judge(item, details)).find((fault) => fault !== null) ?? null;
      }
      return judge(value, details);
    };
  });
}

/** A promise is not `true`: a rule that waits refuses every value, rather than letting it pass. */
const keeps = (rule: ValidatorConstraintInterface, value: unknown, details: ValidationArguments): boolean =>
  rule.validate(value, details) === true;

function argumentsOf({ name: targetName }: Type<object>, { propertyName: property, constraints }: Metadata) {
  return (value: unknown, object: object): ValidationArguments => ({
    targetName,
    property,
    object,
    value,
    constraints: constraints as unknown[],
  });
}

function messageOf(
  { message: given }: Metadata,
  rule: ValidatorConstraintInterface | undefined,
  details: ValidationArguments,
): string {
  const message = given || (rule?.defaultMessage?.(details) ?? '');
  return typeof message === 'function' ? message(details) : filledIn(message, details);
}

/** A message of class-validator with what its tokens stand for; of a value only text, number or boolean is shown. */
function filledIn(message: string, { value, property, targetName, constraints = [] }: ValidationArguments): string {
  const meant: Record<string, unknown> = { property, target: targetName };
  if (isScalar(value)) {
    meant.value = value;
  }
  constraints.forEach((constraint: unknown, index) => {
    meant[`constraint${index + 1}`] = Array.isArray(constraint) ? constraint.join(', ') : constraint;
  });
  return message.replace(/\$(constraint\d+|value|property|target)/g, (token, name: string) =>
    name in meant ? String(meant[name]) : token,
  );
}

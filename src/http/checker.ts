import type { Type } from '@nestjs/common';
import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage as conversions } from 'class-transformer/cjs/storage';
import { getMetadataStorage, type ValidationArguments, type ValidatorConstraintInterface } from 'class-validator';
import { ValidationUtils } from 'class-validator/cjs/validation/ValidationUtils';
import { MAX_FAULTS, type Fault } from '../common/problem';

type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
type Members = Record<string, unknown>;

/** Null where the value keeps the rule, else what is wrong. */
type Rule = (value: unknown, object: object) => string | null;

interface Member {
  name: string;
  /** The name as one part of a JSON Pointer (RFC 6901). */
  token: string;
  /** The rules count only where all of these hold: `MayBeAbsent`, class-validator's `ValidateIf`. */
  conditions: ((object: object, value: unknown) => boolean)[];
  rules: Rule[];
  /** class-transformer's `Transform`; only parameters have it, since they arrive as text. */
  conversions: ((value: unknown, object: object) => unknown)[];
  /** For an object, or for each element of an array. */
  nested?: () => Checker;
  /** For what is neither. */
  notNested: Rule;
}

const checkers = new Map<Type<object>, Checker>();

/** The checker of a DTO class, made once. Throws an Error for a class whose decorators do not say what to check. */
export function checkerOf(dto: Type<object>): Checker {
  let checker = checkers.get(dto);
  if (!checker) {
    checker = new Checker(dto, membersOf(dto));
    checkers.set(dto, checker);
    checker.members.forEach(({ nested }) => nested?.());
  }
  return checker;
}

/** Whether the class says anything about its members; of one that does not, nothing would be kept. */
export const hasRules = (dto: Type<object>): boolean => checkerOf(dto).members.length > 0;

/**
 * Makes and checks instances of one DTO class, as class-transformer and class-validator would: the rules are theirs.
 * They would look the rules up for every value, and walk through all of its members, some of it in quadratic time.
 * This looks them up once, and reads no member but those: the rest of what a client sends costs nothing.
 */
export class Checker {
  constructor(
    private readonly dto: Type<object>,
    readonly members: Member[],
  ) {}

  instantiate(source: object): object {
    const instance = new this.dto() as Members;
    for (const { name, conversions, nested } of this.members) {
      if (Object.hasOwn(source, name)) {
        const value = conversions.reduce((text, convert) => convert(text, source), (source as Members)[name]);
        instance[name] = nested ? nested().instantiateAll(value) : value;
      }
    }
    return instance;
  }

  private instantiateAll(value: unknown): unknown {
    if (Array.isArray(value)) {
      return value.map((item: unknown) => this.instantiateAll(item));
    }
    return isObject(value) ? this.instantiate(value) : value;
  }

  /** Adds the first fault of each member; ends early when there are more than anybody is told. */
  check(instance: object, prefix: string, faults: Fault[]): void {
    for (const member of this.members) {
      if (faults.length > MAX_FAULTS) {
        return;
      }
      const value = (instance as Members)[member.name];
      if (allHold(member.conditions, instance, value)) {
        const detail = firstFault(member.rules, value, instance);
        if (detail !== null) {
          faults.push({ pointer: prefix + member.token, detail: value === undefined ? 'is missing' : detail });
        } else if (member.nested && value !== undefined) {
          member.nested().checkAll(value, prefix + member.token, member.notNested, faults);
        }
      }
    }
  }

  private checkAll(value: unknown, pointer: string, notNested: Rule, faults: Fault[]): void {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && faults.length <= MAX_FAULTS; index++) {
        this.checkAll(value[index], `${pointer}/${index}`, notNested, faults);
      }
    } else if (isObject(value)) {
      this.check(value, `${pointer}/`, faults);
    } else {
      faults.push({ pointer, detail: notNested(value, this)! });
    }
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

// Loops, not `every` and `some`: a closure for each value would be most of what a bulk leaves to the garbage collector.
function allHold(conditions: Member['conditions'], instance: object, value: unknown): boolean {
  for (const holds of conditions) {
    if (!holds(instance, value)) {
      return false;
    }
  }
  return true;
}

function firstFault(rules: Rule[], value: unknown, instance: object): string | null {
  for (const rule of rules) {
    const fault = rule(value, instance);
    if (fault !== null) {
      return fault;
    }
  }
  return null;
}

function membersOf(dto: Type<object>): Member[] {
  if (conversions.getExposedMetadatas(dto).length > 0 || conversions.getExcludedMetadatas(dto).length > 0) {
    throw new Error(
      `${dto.name}: members have the names that they have on the wire; @Expose and @Exclude change that.`,
    );
  }
  const storage = getMetadataStorage();
  const rules = storage.groupByPropertyName(storage.getTargetValidationMetadatas(dto, '', false, false));
  return Object.entries(rules).map(([name, metadata]) => memberOf(dto, name, metadata));
}

function memberOf(dto: Type<object>, name: string, metadata: Metadata[]): Member {
  const ofKind = (...kinds: string[]) => metadata.filter(({ type }) => kinds.includes(type));
  const [unknown] = ofKind('promiseValidation');
  const [nested] = ofKind('nestedValidation');
  const type = conversions.findTypeMetadata(dto, name);
  if (unknown || (nested === undefined) !== (type === undefined)) {
    throw new Error(`${dto.name}.${name}: a nested object is declared by @IsNested or @IsNestedList.`);
  }
  return {
    name,
    token: name.replaceAll('~', '~0').replaceAll('/', '~1'),
    conditions: ofKind('conditionalValidation').map(({ constraints }) => (constraints as Member['conditions'])[0]!),
    rules: ofKind('customValidation', 'isDefined').flatMap((rule) => rulesOf(dto, rule)),
    conversions: conversions
      .findTransformMetadatas(dto, name, TransformationType.PLAIN_TO_CLASS)
      .map(({ transformFn }) => (value, obj) => {
        const options = {};
        return transformFn({ value, key: name, obj, type: TransformationType.PLAIN_TO_CLASS, options }) as unknown;
      }),
    nested: type && (() => checkerOf(type.typeFunction() as Type<object>)),
    notNested: nested
      ? (value, object) => messageOf(nested, undefined, argumentsOf(dto, nested)(value, object))
      : () => null,
  };
}

function rulesOf(dto: Type<object>, metadata: Metadata): Rule[] {
  return getMetadataStorage()
    .getTargetValidatorConstraints(metadata.constraintCls)
    .map(({ instance, async }) => {
      if (async) {
        throw new Error(`${dto.name}.${metadata.propertyName}: a rule answers at once; ask the database elsewhere.`);
      }
      const detailsOf = argumentsOf(dto, metadata);
      return (value, object) => {
        if (metadata.validateIf && !metadata.validateIf(object, value)) {
          return null;
        }
        const details = detailsOf(value, object);
        const all =
          metadata.each && Array.isArray(value)
            ? value.every((item) => keeps(instance, item, details))
            : keeps(instance, value, details);
        return all ? null : messageOf(metadata, instance, details);
      };
    });
}

/** A promise is not true either: a rule that needs to wait fails, rather than letting everything pass. */
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

const messageOf = (
  { message }: Metadata,
  rule: ValidatorConstraintInterface | undefined,
  details: ValidationArguments,
): string => ValidationUtils.replaceMessageSpecialTokens(message || rule?.defaultMessage?.(details) || '', details);

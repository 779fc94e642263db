import type { Type } from '@nestjs/common';
import { MAX_FAULTS, type Fault } from '../common/problem';
import { membersOf, type Member, type Rule } from './dto-members';

/** A member, and what validates the objects in it. */
type Validated = Member & { validator?: DtoValidator };

const validators = new Map<Type<object>, DtoValidator>();

/** The validator of a DTO class, made once. Throws an Error for a class whose decorators do not say what to check. */
export function validatorOf(dto: Type<object>): DtoValidator {
  let validator = validators.get(dto);
  if (!validator) {
    validator = new DtoValidator(dto, membersOf(dto));
    validators.set(dto, validator);
    for (const member of validator.members) {
      member.validator = member.nested && validatorOf(member.nested);
    }
  }
  return validator;
}

/** Whether the class has rules at all. Of an instance without any, no member would be kept. */
export const hasRules = (dto: Type<object>): boolean => validatorOf(dto).members.length > 0;

/**
 * Makes and checks instances of one DTO class, as class-transformer and class-validator would: the rules are theirs.
 * They would find the rules anew for every value and walk through all of its members, partly in quadratic time. This
 * finds the rules once, and reads no other member: the rest of what a client sends costs nothing.
 */
export class DtoValidator {
  constructor(
    private readonly dto: Type<object>,
    readonly members: Validated[],
  ) {}

  instantiate(source: object): object {
    const instance = new this.dto() as Record<string, unknown>;
    for (const { name, conversions, validator } of this.members) {
      if (Object.hasOwn(source, name)) {
        const value = conversions.reduce(
          (text, convert) => convert(text, source),
          (source as Record<string, unknown>)[name],
        );
        instance[name] = validator ? validator.instantiateAll(value) : value;
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

  /** Adds the first fault of each member; ends early when there are more than an answer lists. */
  check(instance: object, prefix: string, faults: Fault[]): void {
    for (const member of this.members) {
      if (faults.length > MAX_FAULTS) {
        return;
      }
      const value = (instance as Record<string, unknown>)[member.name];
      if (allHold(member.conditions, instance, value)) {
        const detail = firstFault(member.rules, value, instance);
        if (detail !== null) {
          faults.push({ pointer: prefix + member.token, detail: value === undefined ? 'is missing' : detail });
        } else if (member.validator && value !== undefined) {
          member.validator.checkAll(value, prefix + member.token, faults, member, instance);
        }
      }
    }
  }

  /** Of an object, or of each in an array, which is `member` of `owner`. */
  private checkAll(value: unknown, pointer: string, faults: Fault[], member: Validated, owner: object): void {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && faults.length <= MAX_FAULTS; index++) {
        this.checkAll(value[index], `${pointer}/${index}`, faults, member, owner);
      }
    } else if (isObject(value)) {
      this.check(value, `${pointer}/`, faults);
    } else {
      faults.push({ pointer, detail: member.notNested(value, owner)! });
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

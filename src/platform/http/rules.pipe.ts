import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { refuseFaults, type Fault } from '../common/problem';
import { validatorOf, hasRules } from './dto-validator';

/**
 * Makes an instance of the DTO class that a handler's parameter names, unless a pipe before has made one, and checks it
 * by the rules on its members. `Endpoint` gives it to each parameter that has no pipe of its own.
 * Members without a rule are dropped, and those of a body are never converted. Throws ValidationFailed with the faults.
 */
export class RulesPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || value instanceof metatype || !hasRules(metatype as Type<object>)) {
      return value;
    }
    return checked(metatype as Type<object>, value, type === 'body' ? '/' : '');
  }
}

/** Makes and checks one instance; `prefix` stands before the names of the members. Throws ValidationFailed. */
export function checked<T extends object>(dto: Type<T>, value: unknown, prefix: string): T {
  const faults: Fault[] = [];
  const instance = check(dto, value, prefix, faults);
  refuseFaults(faults);
  return instance;
}

/** The same, but adds the faults. */
export function check<T extends object>(dto: Type<T>, value: unknown, prefix: string, faults: Fault[]): T {
  const validator = validatorOf(dto);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push({ pointer: prefix.replace(/\/$/, ''), detail: 'must be an object' });
    return new dto();
  }
  const instance = validator.instantiate(value);
  validator.check(instance, prefix, faults);
  return instance as T;
}

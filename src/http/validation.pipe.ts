import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { ValidationFailed, type Fault } from '../common/problem';

/** Whether a class has members with rules; an interface or a built-in type never has. */
export const hasRules = (type: Type<object>): boolean =>
  getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).length > 0;

/**
 * Makes an instance of the DTO class that a handler's parameter names, and checks it.
 * Members without a rule are dropped; nothing is converted. Raises ValidationFailed with every fault at once.
 */
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || !hasRules(metatype as Type<object>)) {
      return value;
    }
    const { instance, faults } = check(metatype as Type<object>, value, '', type === 'body');
    if (faults.length > 0) {
      throw new ValidationFailed(faults);
    }
    return instance;
  }
}

/** Checks one value against a DTO class; `path` stands before each pointer. */
export function check<T extends object>(
  dto: Type<T>,
  value: unknown,
  path: string,
  pointers = true,
): { instance: T; faults: Fault[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { instance: new dto(), faults: [{ pointer: path, detail: 'must be an object' }] };
  }
  const instance = plainToInstance(dto, value);
  const errors = validateSync(instance, {
    whitelist: true,
    forbidUnknownValues: false,
    stopAtFirstError: true,
    validationError: { target: false },
  });
  return { instance, faults: errors.flatMap((error) => faultsOf(error, pointers ? `${path}/` : '')) };
}

function faultsOf(error: ValidationError, prefix: string): Fault[] {
  const pointer = prefix + error.property.replaceAll('~', '~0').replaceAll('/', '~1');
  const own = Object.values(error.constraints ?? {}).map((detail) => ({
    pointer,
    detail: error.value === undefined ? 'is missing' : detail,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => faultsOf(child, `${pointer}/`))];
}

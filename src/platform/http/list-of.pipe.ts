import type { PipeTransform, Type } from '@nestjs/common';
import { MAX_FAULTS, refuseFaults, ValidationFailed, type Fault } from '../common/problem';
import { check } from './rules.pipe';

/**
 * Checks a body that is an array, each element by itself: Nest checks nothing in a plain `Dto[]`.
 * Throws ValidationFailed; pointers begin with the element's index (`/3/email`).
 */
export class ListOf<T extends object> implements PipeTransform<unknown, T[]> {
  constructor(
    private readonly dto: Type<T>,
    private readonly limit: number,
  ) {}

  transform(value: unknown): T[] {
    if (!Array.isArray(value)) {
      throw new ValidationFailed([{ pointer: '', detail: 'must be an array' }]);
    }
    if (value.length > this.limit) {
      throw new ValidationFailed([{ pointer: '', detail: `must hold at most ${this.limit} elements` }]);
    }
    const faults: Fault[] = [];
    const items: T[] = [];
    for (let index = 0; index < value.length && faults.length <= MAX_FAULTS; index++) {
      items.push(check(this.dto, value[index], `/${index}/`, faults));
    }
    refuseFaults(faults);
    return items;
  }
}

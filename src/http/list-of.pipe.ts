import type { PipeTransform, Type } from '@nestjs/common';
import { ValidationFailed } from '../common/problem';
import { check } from './validation.pipe';

/**
 * Checks a body that is an array, each element by itself: Nest checks nothing in a plain `Dto[]`.
 * Raises ValidationFailed; pointers begin with the element's index (`/3/email`).
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
    const checked = value.map((item, index) => check(this.dto, item, `/${index}`));
    const faults = checked.flatMap((item) => item.faults);
    if (faults.length > 0) {
      throw new ValidationFailed(faults);
    }
    return checked.map((item) => item.instance);
  }
}

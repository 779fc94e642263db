import { ValidationFailed } from '../common/problem';
import { ListOf } from './list-of.pipe';
import { IsName } from './rules';

class NamedDto {
  @IsName() name: string;
}

/** What is told of a list of so many that break a rule each. */
function refusalOf(count: number): { errors: unknown[]; detail: string } {
  try {
    new ListOf(NamedDto, 1_000).transform(Array(count).fill({}));
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationFailed);
    return JSON.parse((error as ValidationFailed).json('r')) as { errors: unknown[]; detail: string };
  }
  throw new Error('not refused');
}

it('tells of a hundred faults, and of more that there are more', () => {
  const [whole, cut] = [refusalOf(100), refusalOf(101)];
  expect([whole.errors.length, cut.errors.length]).toEqual([100, 100]);
  expect(whole.detail).not.toContain('first');
  expect(cut.detail).toContain('for the first 100 faults');
});

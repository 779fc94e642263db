import 'reflect-metadata';
import { Exclude, plainToInstance, Transform, Type } from 'class-transformer';
import * as is from 'class-validator';
import * as fc from 'fast-check';
import type { Fault } from '../common/problem';
import { hasRules } from './dto-validator';
import { IsInt64, IsName, IsNested, IsNestedList, IsTextList, MayBeAbsent } from './rules';
import { check } from './rules.pipe';

class Label {
  @MayBeAbsent() @IsInt64() id?: number;
  @MayBeAbsent() @IsName() 'na/me~'?: string;
}
class Parent {
  @is.Length(2, 3) @is.IsString() code: string;
  @is.IsIn(['a', 'b'], { message: '$property is $value, not $constraint1 in $target' }) inherited: string;
}
/** Our rules and the library's side by side. */
class Everything extends Parent {
  @IsName() name: string;
  @IsTextList(3, 2) texts: string[];
  @MayBeAbsent() @IsNested(() => Label) label?: Label;
  @MayBeAbsent() @IsNestedList(() => Label, 3) labels?: Label[];
  @is.IsEmail({}, { each: true }) @is.ArrayMinSize(1) mails: string[];
  @is.ValidateIf((o: Everything) => o.name === 'a') @is.IsInt() @is.Min(1) @is.Max(3) count: number;
  @is.IsBoolean({ message: ({ value }) => `not a boolean: ${typeof value}` }) flag: boolean;
  @is.IsDefined() any: unknown;
  @is.Allow() kept: unknown;
  @is.IsOptional() @is.ValidateNested({ each: true }) @Type(() => Label) loose?: Label[];
  @is.IsInt({ validateIf: (o: Everything) => o.flag }) perhaps: number;
  usual = 1;
  @is.IsOptional() @is.IsInt() defaulted = 7;
}

/** What the libraries themselves say. */
function byLibraries(value: object) {
  const instance = plainToInstance(Everything, value);
  const options = { whitelist: true, forbidUnknownValues: false, stopAtFirstError: true };
  const faults = (error: is.ValidationError, prefix: string): Fault[] => {
    const pointer = `${prefix}/${error.property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const details = Object.values(error.constraints ?? {});
    return [
      ...details.map((detail) => ({ pointer, detail: error.value === undefined ? 'is missing' : detail })),
      ...(error.children ?? []).flatMap((child) => faults(child, pointer)),
    ];
  };
  return { faults: is.validateSync(instance, options).flatMap((error) => faults(error, '')), instance };
}

const scalar = fc.constantFrom<unknown>('a', 'ab', '', 'a@b.example', 0, 1, 4, 1.5, 2n, true, null);
const names = ['id', 'na/me~', 'name', 'other', 'kept', 'toString'];
const objects = fc.dictionary(fc.constantFrom(...names), scalar);
const values = fc.oneof(
  scalar,
  objects,
  fc.array(fc.oneof(scalar, objects, fc.array(objects, { maxLength: 2 })), { maxLength: 4 }),
);
const members = [
  'code',
  'inherited',
  'name',
  'texts',
  'label',
  'labels',
  'mails',
  'count',
  'flag',
  'any',
  'kept',
  'loose',
];
const bodies = fc.dictionary(
  fc.constantFrom(...members, 'perhaps', 'defaulted', 'usual', 'unknown', 'hasOwnProperty'),
  values,
);

it('finds and keeps what class-transformer and class-validator find and keep', () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const faults: Fault[] = [];
      const instance = check(Everything, body, '/', faults);
      const theirs = byLibraries(structuredClone(body));
      expect(faults).toEqual(theirs.faults);
      if (faults.length === 0) {
        expect(instance).toEqual(theirs.instance);
      }
    }),
    { numRuns: 400 },
  );
});

const faultsOf = (value: unknown) => {
  const faults: Fault[] = [];
  check(Everything, value, '/', faults);
  return faults;
};

it('stops when there are more faults than anybody is told', () => {
  const loose = Array<unknown>(100_000).fill(1);
  expect(faultsOf({ loose }).length).toBeLessThan(120);
});

it.each([null, undefined, 1, 'a', [], [{}]])('refuses %j where an object belongs', (value) => {
  expect(faultsOf(value)).toEqual([{ pointer: '', detail: 'must be an object' }]);
});

it('knows a class that holds itself', () => {
  class Tree {
    @MayBeAbsent() @IsNestedList(() => Tree, 2) branches?: Tree[];
  }
  const faults: Fault[] = [];
  check(Tree, { branches: [{ branches: [{ branches: 1 }] }] }, '/', faults);
  expect(faults).toEqual([{ pointer: '/branches/0/branches/0/branches', detail: 'must be an array' }]);
});

it('knows a class without rules', () => {
  class Plain {
    name: string;
  }
  expect([hasRules(Plain), hasRules(Label)]).toEqual([false, true]);
});

describe('a class whose decorators do not say what to check is refused', () => {
  class TypeOnly {
    @Type(() => Label) @is.IsObject() label: Label;
  }
  class NestedOnly {
    @is.ValidateNested() label: Label;
  }
  class Renamed {
    @is.IsString() name: string;
    @Exclude() secret: string;
  }
  @is.ValidatorConstraint({ async: true })
  class Later implements is.ValidatorConstraintInterface {
    validate = () => Promise.resolve(false);
  }
  class Asynchronous {
    @is.Validate(Later) name: string;
  }
  class Promised {
    @is.ValidatePromise() name: Promise<string>;
  }
  it.each([TypeOnly, NestedOnly, Renamed, Asynchronous, Promised])('%p', (dto) => {
    expect(() => hasRules(dto)).toThrow(dto.name);
  });
});

it('hands a message the object that a wrong member is of', () => {
  class Dto {
    @is.IsString() name: string;
    @is.ValidateNested({ message: ({ object }) => `of ${(object as Dto).name}` }) @Type(() => Label) label: Label;
  }
  const faults: Fault[] = [];
  check(Dto, { name: 'Rex', label: 1 }, '/', faults);
  expect(faults).toEqual([{ pointer: '/label', detail: 'of Rex' }]);
});

it('converts where @Transform says so, and nowhere else', () => {
  class Dto {
    @is.IsInt() @Transform(({ value, obj }) => Number(value) + (obj as { add: number }).add) sum: number;
    @is.IsInt() plain: number;
  }
  const faults: Fault[] = [];
  expect(check(Dto, { sum: '1', add: 2, plain: '1' }, '', faults)).toEqual({ sum: 3, plain: '1' });
  expect(faults).toMatchObject([{ pointer: 'plain' }]);
});

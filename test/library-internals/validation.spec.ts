import 'reflect-metadata';
import { Exclude, Expose, Transform, TransformationType, Type } from 'class-transformer';
import { defaultMetadataStorage as conversions } from 'class-transformer/cjs/storage';
import * as is from 'class-validator';
import { stillThere } from './still-there';

class Part {
  @is.IsInt() id: number;
}
class Dto {
  @is.IsInt({ message: 'told' }) @Transform(({ value }) => Number(value)) whole: number;
  @is.IsOptional() @is.ValidateNested() @Type(() => Part) part?: Part;
  @is.ValidatePromise() later: Promise<number>;
  @is.IsDefined() defined: unknown;
  @Expose() exposed: string;
  @Exclude() excluded: string;
}
const storage = is.getMetadataStorage();
const rulesOf = (member: keyof Dto) =>
  storage.groupByPropertyName(storage.getTargetValidationMetadatas(Dto, '', false, false))[member]!;
const isOfKind = (kind: string, member: keyof Dto) => rulesOf(member).some(({ type }) => type === kind);

stillThere('class-transformer', {
  findTypeMetadata: () => conversions.findTypeMetadata(Dto, 'part').typeFunction() === Part,
  findTransformMetadatas: () => {
    const [found] = conversions.findTransformMetadatas(Dto, 'whole', TransformationType.PLAIN_TO_CLASS);
    const type = TransformationType.PLAIN_TO_CLASS;
    return found!.transformFn({ value: '1', key: 'whole', obj: {}, type, options: {} }) === 1;
  },
  getExposedMetadatas: () => conversions.getExposedMetadatas(Dto).length === 1,
  getExcludedMetadatas: () => conversions.getExcludedMetadatas(Dto).length === 1,
});

stillThere('class-validator', {
  getTargetValidationMetadatas: () => storage.getTargetValidationMetadatas(Dto, '', false, false).length > 0,
  groupByPropertyName: () => rulesOf('whole')[0]!.message === 'told',
  getTargetValidatorConstraints: () => {
    const [constraint] = storage.getTargetValidatorConstraints(rulesOf('whole')[0]!.constraintCls);
    const { instance, async } = constraint!;
    return instance.validate(1) === true && instance.validate('1') === false && !async;
  },
  'the name of a rule': () => rulesOf('whole')[0]!.name === 'isInt',
  'kinds of rules': () =>
    isOfKind(is.ValidationTypes.CUSTOM_VALIDATION, 'whole') &&
    isOfKind(is.ValidationTypes.CONDITIONAL_VALIDATION, 'part') &&
    isOfKind(is.ValidationTypes.NESTED_VALIDATION, 'part') &&
    isOfKind(is.ValidationTypes.PROMISE_VALIDATION, 'later') &&
    isOfKind(is.ValidationTypes.IS_DEFINED, 'defined'),
});

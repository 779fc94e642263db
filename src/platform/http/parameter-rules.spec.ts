import 'reflect-metadata';
import { ValidationFailed } from '../common/problem';
import { IsInt64Text, IsOneOfList, IsTextListParameter, PageQuery } from './parameter-rules';
import { parseQuery } from './query';
import { RulesPipe } from './rules.pipe';

class PathDto {
  @IsInt64Text(1n) petId: number | bigint;
}
class QueryDto extends PageQuery {
  @IsOneOfList(['available', 'pending', 'sold']) status: string[];
}
class TagsDto {
  @IsTextListParameter(5, 3) tags: string[];
}

const read = (metatype: new () => object, value: object) =>
  new RulesPipe().transform(value, { type: 'query', metatype });
const query = (metatype: new () => object, text: string) => read(metatype, parseQuery(text));
function faults(run: () => unknown) {
  try {
    run();
  } catch (error) {
    return (error as ValidationFailed).extra.errors;
  }
  return [];
}

describe('an int64 in the path', () => {
  it.each([
    ['1', 1],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9223372036854775807', 9_223_372_036_854_775_807n],
  ])('is read exactly: %s', (text, petId) => {
    expect(read(PathDto, { petId: text })).toEqual({ petId });
  });

  it.each([
    ...[
      '0',
      '-1',
      '-0',
      '+1',
      '01',
      '1.0',
      '1e3',
      '0x1',
      '1_000',
      '',
      ' ',
      ' 1',
      '1 ',
      '1\n',
      'abc',
      'NaN',
      'null',
      '١',
    ],
    ...['9223372036854775808', '99999999999999999999', '9'.repeat(16_000), ['1', '2'], undefined],
  ])('is refused: %j', (petId) => {
    const detail =
      petId === undefined
        ? 'is missing'
        : 'must be an integer from 1 to 9223372036854775807, without a plus or zeros before it';
    expect(faults(() => read(PathDto, { petId }))).toEqual([{ pointer: 'petId', detail }]);
  });
});

describe('a page', () => {
  it('has 100 elements where nothing is said, and as many as are asked for up to 1,000', () => {
    expect(query(QueryDto, 'status=sold')).toEqual({ status: ['sold'], limit: 100 });
    expect(query(QueryDto, 'status=sold&limit=1&cursor=abc')).toEqual({ status: ['sold'], limit: 1, cursor: 'abc' });
    expect(query(QueryDto, 'status=sold&limit=1000')).toMatchObject({ limit: 1_000 });
  });

  it.each(['limit=0', 'limit=1001', 'limit=-1', 'limit=1.5', 'limit=', 'limit=ten', 'limit=1&limit=2', 'limit=01'])(
    'is refused with %s',
    (text) => {
      const detail = 'must be an integer from 1 to 1000, without a plus or zeros before it';
      expect(faults(() => query(QueryDto, `status=sold&${text}`))).toEqual([{ pointer: 'limit', detail }]);
    },
  );

  it.each(['cursor=a&cursor=b', `cursor=${'a'.repeat(256)}`, 'cursor=%00'])('is refused with %s', (text) => {
    expect(faults(() => query(QueryDto, `status=sold&${text}`))).toMatchObject([{ pointer: 'cursor' }]);
  });
});

describe('a list', () => {
  it.each([
    ['status=available', ['available']],
    ['status=available&status=sold', ['available', 'sold']],
    ['status=available,sold', ['available', 'sold']],
    ['status=available%2Csold', ['available', 'sold']],
    ['status=available,pending&status=sold', ['available', 'pending', 'sold']],
    ['status=sold&status=sold,sold', ['sold']],
  ])('is read from %s', (text, status) => {
    expect(query(QueryDto, text)).toMatchObject({ status });
  });

  it.each([
    'status=',
    'status=gone',
    'status=sold,',
    'status=sold&status=gone',
    'status=Sold',
    'status=sold ',
    'status[]=sold',
    '',
  ])('of words is refused: %j', (text) => {
    expect(faults(() => query(QueryDto, text))).toMatchObject([{ pointer: 'status' }]);
  });

  it.each(['tags=', 'tags=a,,b', 'tags=a,b,c,d', 'tags=abcdef', 'tags=%00', 'tag=a'])(
    'of texts is refused: %s',
    (text) => {
      expect(faults(() => query(TagsDto, text))).toMatchObject([{ pointer: 'tags' }]);
    },
  );

  it('of texts is split at commas if it is given once, and taken as it stands if more than once', () => {
    expect(query(TagsDto, 'tags=a+b,%F0%9F%90%B6')).toEqual({ tags: ['a b', '🐶'] });
    expect(query(TagsDto, 'tags=a+b,%F0%9F%90%B6&tags=c&tags=c')).toEqual({ tags: ['a b,🐶', 'c'] });
  });
});

describe('a query string', () => {
  it.each([
    ['a=1&b=2&a=3', { a: ['1', '3'], b: '2' }],
    ['&&a&=b&c==d=', { a: '', '': 'b', c: '=d=' }],
    ['a%3Db=c%26d&e+f=%2B', { 'a=b': 'c&d', 'e f': '+' }],
    ['__proto__=1&constructor=2', JSON.parse('{"__proto__":"1","constructor":"2"}')],
    [null, {}],
  ])('is read: %s', (text, parameters) => {
    expect(parseQuery(text)).toEqual(parameters);
  });

  it.each(['a=%', 'a=%zz', '%ff=1', 'a=%c3', '&a'.repeat(1_001)])('is refused: %s', (text) => {
    expect(() => parseQuery(text)).toThrow(/parameter/);
  });
});

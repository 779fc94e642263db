import { parseJson, writeJson } from './json';

describe('parseJson', () => {
  it.each([
    ['1.0', 1],
    ['1e3', 1000],
    ['-0', 0],
    ['0e999999999', 0],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['9223372036854775808', 9223372036854775808n],
    ['-9223372036854775808', -9223372036854775808n],
    ['922337203685477580.7e1', 9223372036854775807n],
    ['1.5', 1.5],
    ['1.0000000000000000001', NaN],
    ['123456789012345.000000000000001', NaN],
    ['1e400', Infinity],
    ['-1e999999999', -Infinity],
  ])('reads %s exactly', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each(['{"a":1,"a":2}', '{"a":1,"a":2,"b":9007199254740993}'])(
    'lets the last repeated member count in %s',
    (text) => {
      expect(parseJson(text)).toMatchObject({ a: 2 });
    },
  );

  it('takes 32 levels and refuses 33, on the fast and on the exact path', () => {
    for (const core of ['', '9007199254740993']) {
      const nest = (levels: number) => '['.repeat(levels) + core + ']'.repeat(levels);
      expect(() => parseJson(nest(32))).not.toThrow();
      expect(() => parseJson(nest(33))).toThrow(RangeError);
      expect(() => parseJson(nest(20_000))).toThrow(RangeError);
    }
  });

  it.each(['{"a":{"__proto__":{"b":1}}}', '{"a":{"constructor":1,"__proto__":{"b":9007199254740993}}}'])(
    'drops what could pollute a prototype from %s',
    (text) => {
      const { a } = parseJson(text) as { a: { b?: unknown } };
      expect(Object.keys(a)).toEqual([]);
      expect(a.b).toBeUndefined();
    },
  );

  it.each(['', '{', '[1,]', 'NaN', '01', "{'a':1}", '\u00a01'])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow();
  });
});

describe('writeJson', () => {
  it('writes a bigint as an exact JSON number', () => {
    expect(writeJson({ id: 9223372036854775807n })).toBe('{"id":9223372036854775807}');
  });
});

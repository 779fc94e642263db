import * as fc from 'fast-check';
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
    ['1e18', 1000000000000000000n],
    ['1e19', Infinity],
    ['1e-400', NaN],
    ['-1.0e2', -100],
    ['1e15', 1000000000000000],
    [`1${'0'.repeat(100_000)}e-100000`, 1],
    [`0.${'0'.repeat(100_000)}1e100001`, 1],
    [`1e${'0'.repeat(100_000)}1`, 10],
    [`1${'0'.repeat(100_000)}1`, Infinity],
    [`1e-${'9'.repeat(100_000)}`, NaN],
    ['1152921504606846976', 1152921504606846976n],
    ['9000000000000001', 9000000000000001],
    ['9000000000000011', 9000000000000011],
    ['[9007199254740993, 9000000000000001, 9e15]', [9007199254740993n, 9000000000000001, 9e15]],
  ])('reads %s exactly', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  const digits = fc.bigInt({ min: 0n, max: 10n ** 21n }).map(String);
  const literals = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.option(fc.tuple(digits, fc.nat(4))),
      fc.option(fc.integer({ min: -25, max: 25 })),
    )
    .map(([sign, whole, fraction, exponent]) => {
      const decimals = fraction ? `.${'0'.repeat(fraction[1])}${fraction[0]}` : '';
      return `${sign}${whole}${decimals}${exponent === null ? '' : `e${exponent}`}`;
    });

  it('reads an integer as what it says, however it is written', () => {
    fc.assert(
      fc.property(literals, (literal) => {
        const [, sign = '', whole = '', decimals = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.*))?$/.exec(
          literal,
        )!;
        const shift = 30 + Number(exponent) - decimals.length;
        const times10to30 = BigInt(sign + whole + decimals) * 10n ** BigInt(Math.max(shift, 0));
        const unit = 10n ** BigInt(30 - Math.min(shift, 0));
        const value = parseJson(literal) as number | bigint;
        const isInteger = times10to30 % unit === 0n;
        const integer = times10to30 / unit;
        if (isInteger && integer >= -(2n ** 63n) && integer < 2n ** 63n) {
          expect(value).toBe(Number.isSafeInteger(Number(integer)) ? Number(integer) : integer);
        } else {
          expect(Number.isInteger(value)).toBe(false);
          expect(typeof value !== 'bigint' || value === integer).toBe(true);
        }
      }),
    );
  });

  it('reads what JSON.parse reads, and refuses what it refuses', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ',',
      ':',
      '1',
      '-',
      '.',
      'e',
      '0',
      'a',
      ' ',
      'true',
      '"a":',
      '\\u0041',
    ];
    const outcome = (read: () => unknown) => {
      try {
        return { value: read() };
      } catch {
        return {};
      }
    };
    // Numbers have a test of their own.
    const rest = (name: string, value: unknown) =>
      name === '__proto__' || name === 'constructor' ? undefined : /number|bigint/.test(typeof value) ? 0 : value;
    const text = fc.oneof(
      fc.array(fc.constantFrom(...pieces)).map((some) => some.join('')),
      fc.json({ maxDepth: 4 }),
      fc.tuple(fc.json(), fc.nat(), fc.constantFrom(...pieces)).map(([json, at, piece]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + piece + json.slice(place);
      }),
    );
    fc.assert(
      fc.property(text, (json) => {
        const ours = outcome(() => JSON.stringify(parseJson(json), rest));
        expect(ours).toEqual(outcome(() => JSON.stringify(JSON.parse(json), rest)));
      }),
      { numRuns: 3_000 },
    );
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

  it('accepts 100,000 objects and arrays, and no more', () => {
    for (const empty of ['{}', '[]']) {
      const text = (count: number) =>
        `[${Array(count - 1)
          .fill(empty)
          .join(',')}]`;
      expect(parseJson(text(100_000))).toHaveLength(99_999);
      expect(() => parseJson(text(100_001))).toThrow(RangeError);
    }
    expect(parseJson(`"${'{'.repeat(100_001)}"`)).toHaveLength(100_001);
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

  it('writes all else as JSON.stringify does, beside a bigint too', () => {
    const values = [undefined, null, NaN, new Date(0), 'a\u2028"', [undefined, () => 1], { a: undefined, 'b"': [{}] }];
    for (const value of [...values, values, Symbol('a')]) {
      const expected = JSON.stringify([value]).slice(1, -1);
      expect(writeJson(value)).toBe(expected);
      expect(writeJson([1n, value])).toBe(`[1,${expected}]`);
    }
  });

  it('and parseJson bring back what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value, integer) => {
        const exact = Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
        expect(parseJson(writeJson({ exact }))).toEqual({ exact });
        expect(JSON.parse(writeJson([value, integer]))).toEqual(JSON.parse(JSON.stringify([value, Number(integer)])));
      }),
    );
  });
});

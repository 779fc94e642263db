import { Body, Controller, Get, Module, Post, Query, ValidationPipe } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsDateString,
  IsEmail,
  IsEnum,
  IsIn,
  IsInt,
  IsNegative,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { Endpoint, Operations } from '../../src/platform/http';
import { openApiDocument } from '../../src/platform/openapi';
import { Config } from '../../src/platform/config';
import { ServerAdapter } from '../../src/platform/server';
import { startBothWith, type Both } from '../support/plain-nest';

enum Colour {
  Red = 'red',
  Blue = 'blue',
}
class Keeper {
  @IsString() @Length(2, 5) name: string;
  @IsOptional() @IsEmail() email?: string;
}
class Shelter {
  @IsString() text: string;
  @IsOptional() @IsInt() @Min(0) @Max(10) places?: number;
  @IsOptional() @IsInt() whole?: number;
  @IsOptional() @IsNumber() weight?: number;
  @IsOptional() @IsPositive() gain?: number;
  @IsOptional() @IsNegative() loss?: number;
  @IsOptional() @Matches(/^a+$/) lower?: string;
  @IsOptional() @Matches('^a+$', 'i') either?: string;
  @IsOptional() @IsBoolean() open?: boolean;
  @IsOptional() @IsUrl() site?: string;
  @IsOptional() @IsUUID() key?: string;
  @IsOptional() @IsDateString() since?: string;
  @IsOptional() @IsEnum(Colour) colour?: Colour;
  @IsOptional() @IsIn(['cat', 'dog']) species?: string;
  @IsOptional() @IsNotEmpty() filled?: string;
  @IsOptional() @MinLength(2) @MaxLength(4) code?: string;
  @IsOptional() @IsArray() @ArrayMaxSize(2) @IsString({ each: true }) tags?: string[];
  @IsOptional() @IsArray() @IsEnum(Colour, { each: true }) colours?: Colour[];
  @IsOptional() @ValidateNested() @Type(() => Keeper) owner?: Keeper;
  @IsOptional() @IsArray() @ValidateNested({ each: true }) @Type(() => Keeper) owners?: Keeper[];
  @IsOptional() @Type(() => Date) @IsDate() born?: Date;
}
class Paged {
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) page?: number;
  @IsOptional() @Type(() => Boolean) @IsBoolean() all?: boolean;
}

@Controller('shelters')
class SheltersController {
  @Post()
  @Endpoint({ access: 'anyone', summary: 'Make a shelter' })
  make(@Body() shelter: Shelter) {
    return { ...shelter, of: [shelter, shelter.owner ?? new Keeper()].map((it) => it.constructor.name) };
  }

  @Get()
  @Endpoint({ access: 'anyone' })
  find(@Query() { page, all }: Paged) {
    return { page: page ?? null, all: all ?? null };
  }
}
@Module({ controllers: [SheltersController] })
class SheltersModule {}

let both: Both;
beforeAll(async () => {
  both = await startBothWith((app) => {
    if (!(app.getHttpAdapter() instanceof ServerAdapter)) {
      app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
    }
  }, SheltersModule);
});
afterAll(() => both.stop());

const post = (body: string) => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
const members: [string, unknown[]][] = [
  ['text', ['a', '', 1, null, [], {}, true]],
  ['places', [0, 10, 11, -1, 1.5, '1', null, true, []]],
  ['whole', [9_007_199_254_740_991, 1.5, '1', {}]],
  ['weight', [0, 1.5, -12.25, '1', null, []]],
  ['gain', [1, 0, -1, 0.5, '1', null]],
  ['loss', [-1, 0, 1, -0.5, '-1', null]],
  ['lower', ['aa', 'AA', 1]],
  ['either', ['AA', 'b', 1]],
  ['open', [true, false, 'true', 0, null]],
  ['site', ['https://a.example/x', 'a.example', 'nothing', 1, 'http://']],
  ['key', ['2b6e1c1e-6f0f-4c55-9d55-0f6a8f0d2f11', 'x', 1]],
  ['since', ['2026-11-29', '2026-11-29T10:00:00Z', 'today', 1, '2026-13-01']],
  ['colour', ['red', 'green', 'Red', 1, null]],
  ['species', ['cat', 'cow', ['cat']]],
  ['filled', ['', 'a', 0, [], null]],
  ['code', ['a', 'ab', 'abcd', 'abcde', 12, '😀😀', '😀😀😀😀😀']],
  ['tags', [[], ['a'], ['a', 1], ['a', 'b', 'c'], 'a', {}, [null]]],
  ['colours', [['red'], ['red', 'x'], 'red']],
  ['owner', [{ name: 'Tom' }, { name: 'T' }, {}, { name: 'Tom', more: 1 }, 'Tom', null, [{ name: 'Tom' }], [{}]]],
  [
    'owner',
    [
      { name: 'Tom', email: 'a@b.example' },
      { name: 'Tom', email: 'x' },
      { name: 'Tom', email: null },
    ],
  ],
  ['owners', [[], [{ name: 'Tom' }], [{ name: 'Tom' }, {}], { name: 'Tom' }, ['Tom'], [null], [[{ name: 'Tom' }]]]],
  ['born', ['2026-11-29', 'never', 0, null, true]],
];
it.each(members.flatMap(([name, values]) => values.map((value) => [JSON.stringify({ text: 'a', [name]: value })])))(
  '%s is taken or refused as by the ValidationPipe',
  async (body) => {
    const { plain, ours } = await both.ask('/shelters', post(body));
    expect(ours.status).toBe(plain.status);
    expect(ours.status >= 400 || ours.body === plain.body).toBe(true);
  },
);

it.each(['', '?page=2', '?page=x', '?page=0', '?page=1.5', '?all=1', '?all=', '?other=1', '?page=1&page=2'])(
  'a query %s is taken or refused as by the ValidationPipe',
  async (query) => {
    const { plain, ours } = await both.ask(`/shelters${query}`);
    expect(ours.status).toBe(plain.status);
    expect(ours.status >= 400 || ours.body === plain.body).toBe(true);
  },
);

const faultsOf = async (body: string) => {
  const { ours } = await both.ask('/shelters', post(body));
  return (ours.body as { message?: unknown }).message;
};

it('says where a fault is', async () => {
  expect(await faultsOf('{"text":"a","owners":[{"name":"Tom"},{"name":"T"}],"places":"x"}')).toEqual([
    { pointer: '/places', detail: 'places must not be greater than 10' },
    { pointer: '/owners/1/name', detail: 'name must be longer than or equal to 2 characters' },
  ]);
});

it.each(['9007199254740993', '9223372036854775807', '1e30', '-9007199254740993', '9007199254740992'])(
  'IsInt refuses %s, which would be rounded, and says what takes it',
  async (number) => {
    const [fault] = (await faultsOf(`{"text":"a","whole":${number}}`)) as { pointer: string; detail: string }[];
    expect(fault).toEqual({ pointer: '/whole', detail: expect.stringContaining('@IsInt64') });
  },
);

it.each(['9007199254740993', '1e300', '0.12345678901234567891'])(
  'IsNumber refuses %s, which would be rounded',
  async (number) => {
    expect(await faultsOf(`{"text":"a","weight":${number}}`)).toEqual([
      { pointer: '/weight', detail: 'must be a number that is not rounded as a double' },
    ]);
  },
);

it.each(['"a\\u0000b"', '"\\ud800"'])('IsString refuses %s, which no database keeps', async (text) => {
  expect(await faultsOf(`{"text":${text}}`)).toEqual([
    { pointer: '/text', detail: 'must be a string without U+0000 or lone surrogates' },
  ]);
});

it('is linear in the bytes of a body', async () => {
  const long = 'a'.repeat(100_000);
  const hostile = [`${long}@${long}`, `"${long}`, `${'a@'.repeat(50_000)}`, `${'a.'.repeat(50_000)}`];
  for (const name of ['site', 'key', 'since', 'colour', 'species', 'code', 'text']) {
    for (const value of hostile) {
      const body = JSON.stringify({ text: 'a', [name]: value, owner: { name: 'Tom', email: value } });
      const began = process.cpuUsage();
      const { status } = await fetch(`${await both.ours.getUrl()}/shelters`, post(body));
      const { user } = process.cpuUsage(began);
      expect({ name, status, tooMuch: user > 1_000_000 ? user : false }).toEqual({ name, status: 400, tooMuch: false });
    }
  }
});

it('describes the members in the OpenAPI document', () => {
  const document = openApiDocument(both.ours, both.ours.get(Config));
  expect(Operations.of(both.ours).all.some(({ template }) => template === '/shelters')).toBe(true);
  expect(document.components?.schemas).toEqual(expect.objectContaining({ Shelter: SHELTER, Keeper: KEEPER }));
});

const orNull = (type: string, more: object = {}) => ({ type: [type, 'null'], ...more });
const SAFE = { minimum: -9_007_199_254_740_991, maximum: 9_007_199_254_740_991 };
const REF = { $ref: '#/components/schemas/Keeper' };
const SHELTER = {
  type: 'object',
  required: ['text'],
  properties: {
    text: { type: 'string' },
    places: orNull('integer', { minimum: 0, maximum: 10 }),
    whole: orNull('integer', SAFE),
    weight: orNull('number'),
    gain: orNull('number', { exclusiveMinimum: 0 }),
    loss: orNull('number', { exclusiveMaximum: 0 }),
    lower: orNull('string', { pattern: '^a+$' }),
    either: orNull('string'),
    open: orNull('boolean'),
    site: orNull('string', { format: 'uri' }),
    key: orNull('string', { format: 'uuid' }),
    since: orNull('string', { format: 'date-time' }),
    colour: orNull('string', { enum: ['red', 'blue', null] }),
    species: orNull('string', { enum: ['cat', 'dog', null] }),
    filled: orNull('string', { minLength: 1 }),
    code: orNull('string', { minLength: 2, maxLength: 4 }),
    tags: orNull('array', { maxItems: 2, items: { type: 'string' } }),
    colours: orNull('array', { items: { type: 'string', enum: ['red', 'blue'] } }),
    owner: { anyOf: [REF, { type: 'null' }] },
    owners: orNull('array', { items: REF }),
    born: orNull('string', { format: 'date-time' }),
  },
};
const KEEPER = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    email: orNull('string', { format: 'email' }),
  },
};

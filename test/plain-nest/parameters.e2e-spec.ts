import {
  ArgumentMetadata,
  Body,
  Controller,
  DefaultValuePipe,
  Get,
  Headers,
  Injectable,
  Ip,
  Module,
  Param,
  ParseArrayPipe,
  ParseBoolPipe,
  ParseEnumPipe,
  ParseFloatPipe,
  ParseIntPipe,
  ParseUUIDPipe,
  PipeTransform,
  Post,
  Query,
  Session,
  UsePipes,
  ValidationPipe,
} from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { Endpoint } from '../../src/platform/http';
import { startBoth, type Both } from '../support/plain-nest';

const open = () => Endpoint({ access: 'anyone' });
enum Colour {
  Red = 'red',
}
class Cat {
  @IsString() name: string;
  @IsOptional() @IsInt() age?: number;
}
class Paged {
  @IsOptional() @Type(() => Number) @IsInt() page?: number;
}
@Injectable()
class Upper implements PipeTransform<unknown, string> {
  transform = (value: unknown, { data }: ArgumentMetadata) => `${data}: ${String(value).toUpperCase()}`;
}
const strict = () => new ValidationPipe({ transform: true, forbidNonWhitelisted: true, whitelist: true });

@Controller('told')
class ToldController {
  @Get('int/:id')
  @open()
  int(@Param('id', ParseIntPipe) id: number) {
    return { id };
  }

  @Get('uuid/:id')
  @open()
  uuid(@Param('id', new ParseUUIDPipe({ errorHttpStatusCode: 406 })) id: string) {
    return { id };
  }

  @Get('text/:id')
  @open()
  text(@Param('id') id: string, @Param() all: Record<string, string>) {
    return { id, all };
  }

  @Get('unread/:id')
  @open()
  unread() {
    return 'unread';
  }

  @Get('query')
  @open()
  query(@Query('q') q: string, @Query() all: Record<string, unknown>) {
    return { q: q ?? null, all };
  }

  @Get('default')
  @open()
  defaults(
    @Query('flag', new DefaultValuePipe(false), ParseBoolPipe) flag: boolean,
    @Query('n', new ParseFloatPipe({ optional: true })) n?: number,
    @Query('colour', new ParseEnumPipe(Colour, { optional: true })) colour?: Colour,
    @Query('list', new ParseArrayPipe({ items: Number, optional: true })) list?: number[],
  ) {
    return { flag, n: n ?? null, colour: colour ?? null, list: list ?? null };
  }

  @Get('own/:it')
  @open()
  own(@Param('it', Upper) it: string, @Query('x', Upper) x: string) {
    return { it, x };
  }

  @Get('others')
  @open()
  others(
    @Headers('x-mine') mine: string,
    @Headers() all: Record<string, string>,
    @Ip() ip: string,
    @Session() s: unknown,
  ) {
    return { mine: mine ?? null, all: all['x-mine'] ?? null, ip, session: s ?? null };
  }

  @Get('paged')
  @UsePipes(strict())
  @open()
  paged(@Query() query: Paged) {
    return { page: query.page ?? null, made: query instanceof Paged };
  }

  @Post('member')
  @open()
  member(@Body('name') name: string, @Body('age', new ParseIntPipe({ optional: true })) age?: number) {
    return { name: name ?? null, age: age ?? null };
  }

  @Post('strict')
  @open()
  strict(@Body(strict()) cat: Cat) {
    return { ...cat, made: cat instanceof Cat };
  }

  @Post('handler')
  @UsePipes(strict())
  @open()
  handler(@Body() cat: Cat) {
    return { ...cat, made: cat instanceof Cat };
  }

  @Post('anything')
  @open()
  anything(@Body(new ValidationPipe()) body: Record<string, unknown>) {
    return body;
  }
}
@Module({ controllers: [ToldController] })
class ToldModule {}

let both: Both;
beforeAll(async () => (both = await startBoth(ToldModule)));
afterAll(() => both.stop());

it.each([
  ...['int/7', 'int/-7', 'int/x', 'int/7.5', 'uuid/x', 'uuid/2b6e1c1e-6f0f-4c55-9d55-0f6a8f0d2f11', 'text/a%20b'],
  ...['unread/1', 'query', 'query?q=a', 'query?q=a&q=b&r=c', 'query?q=a+b%26', 'default', 'default?flag=true&n=1.5'],
  ...[
    'default?flag=maybe',
    'default?n=x',
    'default?colour=red',
    'default?colour=blue',
    'default?list=1,2',
    'default?list=a',
  ],
  ...['own/it?x=y', 'others', 'paged', 'paged?page=2', 'paged?page=x', 'paged?other=1'],
])('GET %s', async (path) => {
  const { plain, ours } = await both.ask(`/told/${path}`, { headers: { 'X-Mine': 'yes' } });
  expect(ours).toEqual(plain);
});

it.each([
  ...['member', 'strict', 'handler', 'anything'].flatMap((path) =>
    [{ name: 'Tom' }, { name: 'Tom', age: 3 }, { name: 'Tom', age: 'x', more: 1 }, {}].map(
      (body) => [path, body] as const,
    ),
  ),
])('POST %s %j', async (path, body) => {
  const headers = { 'Content-Type': 'application/json' };
  const { plain, ours } = await both.ask(`/told/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(ours).toEqual(plain);
});

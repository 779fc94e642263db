import { randomUUID } from 'node:crypto';
import { Body, Controller, Module, Param, Post } from '@nestjs/common';
import { Type } from 'class-transformer';
import { IsDate, IsObject, IsOptional } from 'class-validator';
import { systemClock } from '../src/platform/common/clock';
import { Endpoint, IsName } from '../src/platform/http';
import { CurrentAttempt, IdempotencyStore, type Attempt } from '../src/platform/idempotency';
import { exchange } from './support/exchange';
import { startApp, type RunningApp } from './support/start-app';

/* Which requests under one Idempotency-Key are the same. */

class ShelfPath {
  @IsName() shelf: string;
}
class BookDto {
  @IsOptional() @Type(() => Date) @IsDate() printed?: Date;
  /** Whatever a client likes. */
  @IsOptional() @IsObject() notes?: Record<string, unknown>;
}

@Controller('shelf/:shelf/book')
class BookController {
  private books = 0;

  constructor(private readonly idempotency: IdempotencyStore) {}

  @Post()
  @Endpoint({ access: 'anyone' })
  add(@Param() _: ShelfPath, @Body() dto: BookDto, @CurrentAttempt() attempt?: Attempt): Promise<{ book: number }> {
    return this.idempotency.once(attempt, dto, (write) => write.one(() => Promise.resolve({ book: ++this.books })));
  }
}

@Module({ controllers: [BookController] })
class BookModule {}

let running: RunningApp;
beforeAll(async () => (running = await startApp({}, undefined, systemClock, [BookModule])));
afterAll(() => running.stop());

const post = (path: string, key: string, json: string, { http } = running) =>
  http.post(path).set('Idempotency-Key', key).set('Content-Type', 'application/json').send(json);

/** What a second request is taken for. */
async function secondOf(first: [path: string, json: string], second: [path: string, json: string]): Promise<string> {
  const key = randomUUID();
  expect((await post(...([first[0], key, first[1]] as const))).status).toBeLessThan(300);
  const { status, headers } = await post(second[0], key, second[1]);
  return headers['idempotency-replayed'] ? 'the same' : status === 422 ? 'another' : `${status}`;
}

const pet = '{"id":9007199254740993,"name":"Rex","photoUrls":[],"category":{"id":1,"name":"a"},"tags":[{"name":"x"}]}';

it.each([
  ['/v1/pet', '{"name":"a","owner_id":"o"}', '{"owner_id":"o","name":"a"}'],
  ['/v1/pet', '{"name":"a"}', '{"name":"a","breed":null,"owner":null}'],
  ['/v1/pet', '{"name":"a"}', '{"name":"a","x":{"toJSON":1,"y":9007199254740993},"name2":[1e999]}'],
  ['/v1/pet', '{"name":"a","x":{"toJSON":1,"y":9007199254740993}}', '{"name":"a"}'],
  [
    '/v1/pet',
    '{"name":"a","owner":{"id":"1","name":"b"}}',
    '{"owner":{"x":1,"name":"b","species":null,"id":"1"},"name":"a"}',
  ],
  ['/v2/pet', pet.replace('993', '995'), pet.replace('993', '995.0').replace('"x"', '"x","id":null,"y":[]')],
  ['/v2/pet', pet.replace('993', '997'), pet.replace('993', '997').replace('1,', '1.0e0,')],
  ['/v2/user', '{"username":"tess","id":0}', ' {"id": 0, "username": "\\u0074ess", "password": null}'],
  ['/v2/user/createWithList', '[{"phone":"1"},{}]', '[{"x":1,"phone":"1"},{"email":null}]'],
  ['/shelf/a/book', '{"notes":{"a":1,"b":[{"c":2,"d":3}]}}', '{"x":1,"notes":{"b":[{"d":3.0,"c":2}],"a":1}}'],
  ['/shelf/a/book', '{"printed":"2026-01-01"}', '{"printed":"2026-01-01T00:00:00Z","notes":null}'],
])('%s: %s is asked for again by %s', async (path, first, second) => {
  expect(await secondOf([path, first], [path, second])).toBe('the same');
});

it.each([
  ['/v1/pet', '{"name":"a"}', '{"name":"b"}'],
  ['/v1/pet', '{"name":"a"}', '{"name":"a","breed":""}'],
  ['/v1/pet', '{"name":"a","owner":{"id":"1"}}', '{"name":"a","owner_id":"1"}'],
  ['/v2/pet', pet, pet.replace('993', '994')],
  ['/v2/user', '{"username":"ann"}', '{"username":"ann","id":5}'],
  ['/v2/user/createWithList', '[{"phone":"1"},{}]', '[{},{"phone":"1"}]'],
  ['/shelf/a/book', '{"printed":"2026-01-01"}', '{"printed":"2026-01-02"}'],
  ['/shelf/a/book', '{"notes":{"a":null}}', '{"notes":{}}'],
  ['/shelf/a/book', '{"notes":{"a":1}}', '{"notes":{"a":[1]}}'],
  ['/shelf/a/book', '{"notes":{"toJSON":1,"y":9007199254740993}}', '{"notes":{"toJSON":1,"y":9007199254740994}}'],
])('%s: %s is not asked for again by %s', async (path, first, second) => {
  expect(await secondOf([path, first], [path, second])).toBe('another');
});

it('is another request that has another parameter in its path', async () => {
  expect(await secondOf(['/shelf/a/book', '{}'], ['/shelf/b/book', '{}'])).toBe('another');
  expect(await secondOf(['/shelf/a/book', '{}'], ['/shelf/%61/book', '{}'])).toBe('the same');
});

it.each(['k\r\nIdempotency-Key: l', 'k\r\nIdempotency-Key: k', '"k"\r\nidempotency-key:'])(
  'takes one line of the header, not %j',
  async (lines) => {
    const head = `POST /v1/pet HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n`;
    const answer = await exchange(
      running.url,
      `${head}Idempotency-Key: ${lines}\r\nContent-Length: 12\r\n\r\n{"name":"a"}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"pointer":"Idempotency-Key","detail":"must be one line/);
  },
);

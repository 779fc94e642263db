import { PassThrough } from 'node:stream';
import {
  Body,
  Controller,
  createParamDecorator,
  Delete,
  FileTypeValidator,
  Get,
  MaxFileSizeValidator,
  Module,
  ParseFilePipe,
  Post,
  Req,
  StreamableFile,
  UnsupportedMediaTypeException,
  UploadedFile,
  UploadedFiles,
  UseInterceptors,
  ValidationPipe,
  type ExecutionContext,
} from '@nestjs/common';
import {
  AnyFilesInterceptor,
  FileFieldsInterceptor,
  FileInterceptor,
  FilesInterceptor,
  NoFilesInterceptor,
} from '@nestjs/platform-express';
import { IsString } from 'class-validator';
import type { Request } from 'express';
import { Endpoint } from '../../src/platform/http';
import { startBoth, type Both } from '../support/plain-nest';

const open = () => Endpoint({ access: 'anyone' });

class Caption {
  @IsString() caption: string;
}
const checked = () => new ValidationPipe({ transform: true });
const told = (file?: Express.Multer.File) =>
  file && { ...file, stream: undefined, buffer: file.buffer.toString('latin1') };

const Text = createParamDecorator(async (_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>().setEncoding('utf8').toArray(),
);

async function read(req: Request): Promise<number> {
  let length = 0;
  for await (const chunk of req) {
    length += (chunk as Buffer).length;
  }
  return length;
}

@Controller('bodies')
class BodiesController {
  @Post('stream')
  @open()
  async stream(@Req() req: Request) {
    return { length: await read(req), body: (req.body ?? null) as unknown };
  }

  @Get('stream')
  @open()
  async streamOfGet(@Req() req: Request) {
    return { length: await read(req) };
  }

  @Post('pipe')
  @open()
  pipe(@Req() req: Request) {
    return new StreamableFile(req.pipe(new PassThrough()));
  }

  @Post('picky')
  @open()
  picky(@Req() req: Request) {
    if (!req.is('text/*')) {
      throw new UnsupportedMediaTypeException('text only');
    }
    return read(req);
  }

  @Post('decorated')
  @open()
  decorated(@Text() text: string[]) {
    return text.join('');
  }

  @Post('file')
  @UseInterceptors(FileInterceptor('file'))
  @open()
  file(@UploadedFile() file: Express.Multer.File) {
    return { file: told(file) ?? null };
  }

  @Post('captioned')
  @UseInterceptors(FileInterceptor('file'))
  @open()
  captioned(@UploadedFile() file: Express.Multer.File, @Body(checked()) { caption }: Caption) {
    return { file: told(file) ?? null, caption };
  }

  @Post('small')
  @UseInterceptors(FileInterceptor('file', { limits: { fileSize: 5, fields: 1, fieldSize: 5 } }))
  @open()
  small(@UploadedFile() file: Express.Multer.File) {
    return { file: told(file) ?? null };
  }

  @Post('checked')
  @UseInterceptors(FileInterceptor('file'))
  @open()
  checked(
    @UploadedFile(
      new ParseFilePipe({
        validators: [
          new MaxFileSizeValidator({ maxSize: 5 }),
          new FileTypeValidator({ fileType: 'text/plain', skipMagicNumbersValidation: true }),
        ],
      }),
    )
    file: Express.Multer.File,
  ) {
    return told(file);
  }

  @Post('files')
  @UseInterceptors(FilesInterceptor('file', 2))
  @open()
  files(@UploadedFiles() files: Express.Multer.File[]) {
    return files.map(told);
  }

  @Post('any')
  @UseInterceptors(AnyFilesInterceptor())
  @open()
  any(@Req() { files, body }: Request) {
    return { files: (files as Express.Multer.File[]).map(told), body: body as unknown };
  }

  @Post('fields')
  @UseInterceptors(FileFieldsInterceptor([{ name: 'file', maxCount: 1 }, { name: 'other' }]))
  @open()
  fields(@UploadedFiles() files: Record<string, Express.Multer.File[]>) {
    return Object.entries(files).map(([name, list]) => [name, list.map(told)]);
  }

  @Post('none')
  @UseInterceptors(NoFilesInterceptor())
  @open()
  none(@Body(checked()) { caption }: Caption) {
    return { caption };
  }

  @Delete('unread')
  @open()
  unread() {
    return 'unread';
  }
}
@Module({ controllers: [BodiesController] })
class BodiesModule {}

let both: Both;
beforeAll(async () => (both = await startBoth(BodiesModule)));
afterAll(() => both.stop());

function form(...parts: [name: string, value: string, file?: string, type?: string][]): FormData {
  const data = new FormData();
  for (const [name, value, file, type = 'text/plain'] of parts) {
    if (file === undefined) {
      data.append(name, value);
    } else {
      data.append(name, new Blob([value], { type }), file);
    }
  }
  return data;
}
const FORMS: Record<string, FormData> = {
  'one file': form(['file', 'abc', 'a.txt']),
  'file and caption': form(['file', 'abc', 'a.txt'], ['caption', 'Tom']),
  'caption alone': form(['caption', 'Tom']),
  'large file': form(['file', 'abcdefghi', 'a.txt']),
  'long caption': form(['caption', 'abcdefghi'], ['file', 'abc', 'a.txt']),
  'two files': form(['file', 'a', 'a.txt'], ['file', 'b', 'b.txt']),
  'three files': form(['file', 'a', 'a.txt'], ['file', 'b', 'b.txt'], ['file', 'c', 'c.txt']),
  'another field': form(['other', 'abc', 'a.txt'], ['caption', 'Tom']),
  'many fields': form(['a', '1'], ['b', '2'], ['tags[3]', 'x'], ['caption', 'Tom'], ['__proto__', 'x']),
  'another type': form(['file', 'abc', 'a.png', 'image/png']),
  'empty file': form(['file', '', 'a.txt']),
  'odd name': form(['file', 'abc', '../a\r\nb".txt']),
  nothing: form(),
};
const HANDLERS = ['file', 'captioned', 'small', 'checked', 'files', 'any', 'fields', 'none', 'picky', 'decorated'];

it.each(HANDLERS.flatMap((path) => Object.keys(FORMS).map((name) => [path, name] as const)))(
  '%s takes %s as in plain Nest',
  async (path, name) => {
    const { type, body } = await encoded(FORMS[name]!);
    const headers = { 'Content-Type': type };
    const { plain, ours } = await both.ask(`/bodies/${path}`, { method: 'POST', headers, body });
    expect(ours).toEqual(plain);
  },
);

/** The same bytes for both. */
async function encoded(data: FormData) {
  const answer = new Response(data);
  return { type: answer.headers.get('content-type')!, body: await answer.text() };
}

const BODIES: [type: string | undefined, body: string | undefined][] = [
  ['text/plain', 'abc'],
  ['application/octet-stream', 'abc'.repeat(100_000)],
  ['image/png', 'x'],
  [undefined, undefined],
  ['application/json', '{"a":[1,"x"]}'],
  ['application/json; charset=utf-8', '[1]'],
  ['application/x-www-form-urlencoded', 'a=1&b=x+y'],
  ['application/vnd.api+json', '{"a":1}'],
  ['multipart/form-data', 'no boundary'],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ncut'],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nabc\r\n--x--\r\n'],
  ['multipart/mixed; boundary=x', '--x\r\n\r\nabc\r\n--x--\r\n'],
];
it.each(
  ['stream', 'pipe', 'picky', 'decorated', 'file', 'any'].flatMap((path) =>
    BODIES.map(([type, body]) => [path, type, body] as const),
  ),
)('%s takes a body of %s as in plain Nest', async (path, type, body) => {
  const headers = type === undefined ? undefined : { 'Content-Type': type };
  const { plain, ours } = await both.ask(`/bodies/${path}?caption=query`, { method: 'POST', headers, body });
  expect(ours).toEqual(plain);
});

it('passes over what nobody reads', async () => {
  const { plain, ours } = await both.ask('/bodies/unread', { method: 'DELETE', body: FORMS['one file'] });
  expect(ours).toEqual(plain);
});

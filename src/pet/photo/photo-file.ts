import type { Readable } from 'node:stream';
import type { MulterModuleOptions } from '@nestjs/platform-express';
import type { Request } from 'express';
import type { StorageEngine } from 'multer';
import type { Config } from '../../platform/config';
import { tooLarge } from '../../platform/http';

/** A file as multer tells of it, held once. */
export type PhotoFile = Pick<Express.Multer.File, 'originalname' | 'buffer'>;

/** Keeps a file in memory, once: multer's own storage holds it twice while it puts the pieces together. */
export class PhotoStorage implements StorageEngine {
  constructor(private readonly limit: number) {}

  _handleFile(
    req: Request,
    file: Express.Multer.File,
    tell: (error?: unknown, info?: { buffer: Buffer }) => void,
  ): void {
    readFile(file.stream, req, this.limit).then((buffer) => tell(null, { buffer }), tell);
  }

  _removeFile(_req: Request, _file: Express.Multer.File, done: (error: null) => void): void {
    done(null);
  }
}

/** Of a form: one file, and a member of 1,024 characters in bytes; there may be others, which are ignored. */
export const multerOptions = ({ photoLimit }: Config): MulterModuleOptions => ({
  storage: new PhotoStorage(photoLimit),
  limits: { files: 1, fields: 10, fieldSize: 4_096 },
  defParamCharset: 'utf8',
  preservePath: true, // else a name of which nothing is left is no name
});

/** A file of at most `limit` bytes, of which the request says how many may come. Throws a Problem (413) beyond. */
export async function readFile(from: Readable, { headers }: Request, limit: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Math.min(Number(headers['content-length'] ?? limit), limit));
  let length = 0;
  for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (length + chunk.length > limit) {
      throw tooLarge({ Connection: 'close' }); // there may be no end of it
    }
    length += chunk.copy(bytes, length);
  }
  return bytes.subarray(0, length);
}

/** The last segment of a name, without control characters. */
export const fileNameOf = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
    .split(/[/\\]/)
    .at(-1)!
    .trim()
    .replace(/^\.\.?$/, '') || 'photo';

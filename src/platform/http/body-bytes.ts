import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { BAD_REQUEST, BODY_TOO_LARGE, Problem, UNSUPPORTED_MEDIA_TYPE } from '../common/problem';
import { refuseUnfinished } from './refusal';

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

/** Decodes a body; undefined where that makes more than `most` bytes. Raises 400 for a broken coding. */
export type Decoded = (most: number) => Buffer | undefined;

/** RFC 9110, 8.4.1; `x-gzip` is an older name. */
const DECODERS = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
  ['identity', (bytes) => bytes],
]);
const ACCEPT_ENCODING = 'gzip, deflate, br';

/**
 * Reads a whole body, at most `limit` bytes as sent. The caller decodes it, when it is to be read: a body that waits
 * takes no more memory than what was sent of it.
 * Raises 413 past the limit, 415 for an unknown coding, 400 for what does not arrive as the headers say.
 */
export async function readBody(req: IncomingMessage, res: ServerResponse, limit: number): Promise<Decoded> {
  const decode = DECODERS.get(req.headers['content-encoding']?.trim().toLowerCase() || 'identity');
  if (!decode) {
    const headers = { 'Accept-Encoding': ACCEPT_ENCODING };
    throw new Problem(UNSUPPORTED_MEDIA_TYPE, `The content coding must be one of ${ACCEPT_ENCODING}, or none.`, {
      headers,
    });
  }
  const bytes = await collect(req, res, limit);
  return (most) => {
    try {
      const decoded = decode(bytes, { maxOutputLength: most });
      return decoded.length > most ? undefined : decoded;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
        return undefined;
      }
      throw misdescribed();
    }
  };
}

/** Raises 413 for a body whose Content-Length is larger, before anything of it is read. */
export function checkLength(req: IncomingMessage, limit: number): void {
  if (lengthOf(req) > limit) {
    throw tooLarge();
  }
}

const lengthOf = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? 0);

function collect(req: IncomingMessage, res: ServerResponse, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        req.off('data', take).resume();
        reject(tooLarge());
      } else {
        chunks.push(chunk);
      }
    };
    const end = () => {
      // Otherwise `giveUp` would make an Error for nothing at the end of every request.
      res.off('close', giveUp);
      resolve(Buffer.concat(chunks));
      chunks.length = 0;
    };
    // Somebody else has answered, or the client has gone: no end will come.
    const giveUp = () => {
      reject(misdescribed());
      chunks.length = 0;
    };
    if (res.closed) {
      giveUp();
      return;
    }
    res.once('close', giveUp);
    req.on('data', take).once('end', end);
  });
}

/**
 * Sends `100 Continue` (RFC 9110, 10.1.1) when somebody begins to read the body: a client that waits for it does not
 * send the body of a request that is refused before.
 */
export function continueWhenRead(req: IncomingMessage, res: ServerResponse): void {
  // private: IncomingMessage._read
  req._read = (size) => {
    if (!res.headersSent) {
      res.writeContinue();
    }
    Reflect.deleteProperty(req, '_read');
    req._read(size);
  };
}

/**
 * Leaves the body to whoever reads the request, up to `limit` bytes as sent. One that says it is larger is answered 413
 * when somebody begins to read it; one that goes beyond the limit is answered at once. The reader sees a request that
 * has broken off.
 */
export function handOver(req: IncomingMessage, res: ServerResponse, limit: number): void {
  // While the guards were asked, some of it may have come, or its client may have gone.
  let left = limit - req.readableLength;
  if (left < 0 || req.destroyed) {
    throw left < 0 ? tooLarge() : misdescribed();
  }
  // private: IncomingMessage._read, IncomingMessage.push
  const [read, push] = [req._read.bind(req), req.push.bind(req)];
  req._read = (size) => {
    req._read = read;
    if (lengthOf(req) > limit) {
      refuseUnfinished(req, res, tooLarge());
    } else {
      read(size);
    }
  };
  req.push = (chunk: Buffer | null): boolean => {
    left -= chunk?.length ?? 0;
    // What comes after an answer is passed over by Node itself.
    if (left < 0 && !res.writableEnded) {
      refuseUnfinished(req, res, tooLarge());
    }
    return req.destroyed || push(chunk);
  };
}

export const tooLarge = (headers?: Record<string, string>) =>
  new Problem(BODY_TOO_LARGE, 'The body is larger than the service accepts.', { headers });
export const misdescribed = () => new Problem(BAD_REQUEST, 'The body does not arrive as its headers say.');

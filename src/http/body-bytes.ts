import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { BAD_REQUEST, BODY_TOO_LARGE, Problem, UNSUPPORTED_MEDIA_TYPE } from '../common/problem';

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** RFC 9110, 8.4.1; `x-gzip` is an older name. */
const DECODERS = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['identity', (bytes) => Promise.resolve(bytes)],
]);
const ACCEPT_ENCODING = 'gzip, deflate, br';

/**
 * The bytes of a body with its coding undone, at most `limit` of them before and after. Only now is the client told to
 * go on if it waits for that (`Expect: 100-continue`), so what is refused before is not sent. A coding is undone once
 * the body is whole: half a body is never larger in memory than what was sent of it.
 * Raises 413 past the limit, 415 for an unknown coding, 400 for what does not arrive as the headers say.
 */
export async function readBytes(req: IncomingMessage, res: ServerResponse, limit: number): Promise<Buffer> {
  const decode = DECODERS.get(req.headers['content-encoding']?.trim().toLowerCase() || 'identity');
  if (!decode) {
    const headers = { 'Accept-Encoding': ACCEPT_ENCODING };
    throw new Problem(UNSUPPORTED_MEDIA_TYPE, `The content coding must be one of ${ACCEPT_ENCODING}.`, { headers });
  }
  const bytes = await collect(req, res, limit);
  try {
    return await decode(bytes, { maxOutputLength: limit });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : misdescribed();
  }
}

/** Raises 413 for a body that says it is larger, before anything of it is read. */
export function checkLength({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) {
    throw tooLarge();
  }
}

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
      // It would make an Error for nothing, once a request.
      res.off('close', giveUp);
      resolve(Buffer.concat(chunks));
      chunks.length = 0;
    };
    // Answered by somebody else, or the client has gone: no end will come.
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
    if (awaitsContinue(req)) {
      res.writeContinue();
    }
  });
}

/** RFC 9110, 10.1.1; HTTP/1.0 does not know it. */
const awaitsContinue = ({ headers, httpVersion }: IncomingMessage) =>
  httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');

const tooLarge = () => new Problem(BODY_TOO_LARGE, 'The body is larger than the service accepts.');
const misdescribed = () => new Problem(BAD_REQUEST, 'The body does not arrive as its headers say.');

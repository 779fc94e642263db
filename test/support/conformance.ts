import { appendFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import { faultsOf, headersOf, operationAt, parse, templateOf, type Seen } from './documented';

/*
 * Holds every answer of every suite against openapi.json. An answer that the document does not allow fails the
 * test in which it was given; those that were given are noted for documented-answers.cjs.
 */

let violations: string[] = [];

/** Watches a server's answers from its first request on. */
export function observe(server: Server): void {
  server.prependListener('clientError', observeSocket);
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    for (const name of ['write', 'end'] as const) {
      const original = res[name].bind(res) as (...args: unknown[]) => never;
      res[name] = ((chunk: unknown, ...rest: unknown[]) => {
        if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
          chunks.push(Buffer.from(chunk as string));
        }
        const result = original(chunk, ...rest);
        if (name === 'end') {
          examine(req, res, Buffer.concat(chunks).toString());
        }
        return result;
      }) as never;
    }
  });
}

function examine(req: IncomingMessage, res: ServerResponse, body: string): void {
  const { _header: head } = res as unknown as { _header: string | null };
  // Without a head the client is gone.
  if (head !== null) {
    judge(req.method!, req.url!, head, body);
  }
}

/** What never became a request is answered on the socket itself. */
function observeSocket({ rawPacket }: { rawPacket?: Buffer }, socket: Socket): void {
  const [, method, url] = /^([A-Z]+) (\S+)/.exec(rawPacket?.toString('latin1') ?? '') ?? [];
  const end = socket.end.bind(socket) as (text?: string) => Socket;
  socket.end = ((text = '') => {
    if (text !== '') {
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      judge(method ?? '?', url ?? '?', head, body);
    }
    return end(text);
  }) as never;
}

function judge(method: string, url: string, head: string, body: string): void {
  const [statusLine = '', ...lines] = head.trim().split('\r\n');
  const path = url.replace(/\?.*/s, '');
  const seen = { method, path, status: Number(statusLine.split(' ')[1]), headers: headersOf(lines), body };
  const faults = [...faultsOf(seen)];
  if (method !== 'HEAD' && operationAt(method, path)) {
    note(seen);
  }
  if (faults.length > 0) {
    violations.push(`${method} ${path} answered ${seen.status}, and ${faults.join('; ')}`);
  }
}

function note({ method, path, status, headers, body }: Seen): void {
  const folder = process.env.ANSWERS_FOLDER;
  if (folder) {
    const type = headers.get('content-type')?.[0]?.split(';')[0];
    const kind = type === 'application/problem+json' ? (parse(body) as { type: string }).type : (type ?? 'empty');
    appendFileSync(resolve(folder, String(process.pid)), `${method} ${templateOf(path)} ${status} ${kind}\n`);
  }
}

afterEach(() => {
  const found = violations;
  violations = [];
  if (found.length > 0) {
    throw new Error(`Answers that openapi.json does not allow:\n  ${found.join('\n  ')}`);
  }
});

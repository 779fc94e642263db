import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandFailed, reasonOf } from './command';

/** A line of a text: what it says, or what is wrong with it. */
export interface Line {
  /** From 1. */
  number: number;
  /** With its end. */
  bytes: number;
  text?: string;
  fault?: string;
}

/** Those of a file; `size` is in bytes. */
export interface Lines {
  size: number;
  lines: AsyncIterable<Line>;
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The lines of a text in UTF-8; no more than `limit` bytes of one are held, however long it is. */
async function* linesOf(source: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Line> {
  let number = 0;
  let size = 0;
  let parts: Buffer[] = [];
  const add = (part: Buffer) => {
    size += part.length;
    parts = size > limit ? [] : [...parts, part];
  };
  const end = (): Line => {
    number += 1;
    const line = { number, bytes: size + 1, ...(size > limit ? tooLong(limit) : decode(Buffer.concat(parts), number)) };
    size = 0;
    parts = [];
    return line;
  };
  for await (const chunk of source) {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, at));
      yield end();
      start = at + 1;
    }
    add(chunk.subarray(start));
  }
  if (size > 0) {
    yield end();
  }
}

/** The file's size, and its lines. Throws CommandFailed where it cannot be read. */
export async function openLines(file: string, limit: number): Promise<Lines> {
  const failed = (error: NodeJS.ErrnoException): never => {
    throw new CommandFailed(`${file} cannot be read: ${reasonOf(error)}.`);
  };
  const found = await stat(file).catch(failed);
  // A device may never end, and a socket would wait for somebody.
  if (!found.isFile() && !found.isFIFO()) {
    throw new CommandFailed(
      `${file} cannot be read: it is a ${found.isDirectory() ? 'folder' : 'device or a socket'}.`,
    );
  }
  const stream = createReadStream(file);
  const chunks = async function* () {
    try {
      yield* stream as AsyncIterable<Buffer>;
    } catch (error) {
      failed(error as NodeJS.ErrnoException);
    }
  };
  return { size: found.size, lines: linesOf(chunks(), limit) };
}

const tooLong = (limit: number) => ({ fault: `is longer than ${limit} bytes` });

function decode(bytes: Buffer, number: number): { text: string } | { fault: string } {
  try {
    const text = utf8.decode(bytes);
    return { text: number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text };
  } catch {
    return { fault: 'is not UTF-8' };
  }
}

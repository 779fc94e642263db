import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import node from 'node:module';
import { join, resolve } from 'node:path';
import { Script } from 'node:vm';

const KEY_BYTES = 32;
/** What V8 calls the script. The cache keeps the name, so it may not tell where the file stood when it was built. */
const NAME = 'program.js';

/** `folder` is where the names of its modules begin. */
type Program<Exports> = (module: typeof node, folder: string) => Exports;

/** Where the lines of a bundle come from, in stretches: the first line of each, the number of its source, the line there. */
interface Places {
  sources: string[];
  first: number[];
  source: number[];
  line: number[];
}

/**
 * A program in one file, with what V8 once compiled of it beside it (`.cache`): it need not be compiled at each start.
 * The cache counts only for this text and this Node; V8 itself would take one of any other text of the same length.
 */
export class Bundle<Exports> {
  private readonly key: Buffer;
  private readonly script: Script;

  constructor(private readonly file: string) {
    const text = readFileSync(file);
    this.key = createHash('sha256').update(`${process.version} ${process.arch}\n`).update(text).digest();
    // It is ASCII, which as Latin-1 takes one byte a character in memory.
    this.script = new Script(text.toString('latin1'), { filename: NAME, cachedData: this.readCache() });
  }

  run(): Exports {
    const folder = resolve(this.file, '../../..');
    nameSources(this.file, folder);
    return (this.script.runInThisContext() as Program<Exports>)(node, folder);
  }

  /** The content for a cache: of the functions that were called until now. */
  toCache(): Buffer {
    return Buffer.concat([this.key, this.script.createCachedData()]);
  }

  private readCache(): Buffer | undefined {
    try {
      const cache = readFileSync(`${this.file}.cache`);
      return this.key.equals(cache.subarray(0, KEY_BYTES)) ? cache.subarray(KEY_BYTES) : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Tells of a line of the bundle where it stands in its source, as in `src/main.ts:12`, if that is known. */
export function placesIn(file: string): (line: number) => string | undefined {
  let places: Places | undefined;
  return (line) => {
    places ??= readPlaces(file);
    const stretch = places.first.findLastIndex((first) => first <= line);
    const source = places.sources[places.source[stretch] ?? -1];
    return source && `${source}:${places.line[stretch]! + line - places.first[stretch]!}`;
  };
}

function readPlaces(file: string): Places {
  try {
    return JSON.parse(readFileSync(`${file}.places`, 'utf8')) as Places;
  } catch {
    return { sources: [], first: [], source: [], line: [] };
  }
}

/** Makes stacks name the sources that the bundle was made of. */
function nameSources(file: string, folder: string): void {
  const placeOf = placesIn(file);
  const named = (frame: NodeJS.CallSite & { toString(): string }) => {
    const line = frame.getLineNumber();
    const place = frame.getFileName() === NAME && line !== null ? placeOf(line) : undefined;
    return place === undefined
      ? frame.toString()
      : frame.toString().replace(`${NAME}:${line}:${frame.getColumnNumber()}`, join(folder, place));
  };
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map(named)].join('\n    at ');
}

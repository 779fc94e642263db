#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { Bundle } from './common/bundle';

// Hashing takes a thread of libuv's pool for each core but one; the four there are by default would leave none for
// files and name look-ups on a larger machine. Read when the pool is first used.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 3);

// What cannot be told, because nobody reads it or the disk is full, stops nothing.
[process.stdout, process.stderr].forEach((output) => output.on('error', () => undefined));

void main().then((exitCode) => process.exit(exitCode));

async function main(): Promise<number> {
  if (!('require_module' in process.features && process.features.require_module)) {
    console.error(`This program needs Node 20.19, or 22.12 or newer; this is ${process.version}.`);
    return 1;
  }
  const program = load();
  return program ? program.runCommandLine(process.argv.slice(2), process.env) : 1;
}

/** The rest of the program; scripts/bundle.mjs has made one file of it. */
function load(): typeof import('./commands') | undefined {
  try {
    return new Bundle<typeof import('./commands')>(resolve(__dirname, 'bundle/program.js')).run();
  } catch (cause) {
    const [reason] = (cause as Error).message.split('\n');
    console.error(
      `The program cannot be loaded: ${reason}. Install its packages with this Node (${process.version}): npm ci.`,
    );
    return undefined;
  }
}

#!/usr/bin/env node
import { availableParallelism } from 'node:os';

// Hashing takes a thread of libuv's pool for each core but one; the four there are by default would leave none for
// files and name look-ups on a larger machine. Read when the pool is first used.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 3);

// What cannot be told, because nobody reads it or the disk is full, stops nothing.
[process.stdout, process.stderr].forEach((output) => output.on('error', () => undefined));

// Imported in a promise, so that a Node that cannot load the rest can still say so.
void import('./commands/index.js')
  .then(({ runCommandLine }) => runCommandLine(process.argv.slice(2), process.env), cannotLoad)
  .then((exitCode) => process.exit(exitCode));

function cannotLoad(cause: Error): number {
  const [reason] = cause.message.split('\n');
  console.error(
    'require_module' in process.features && process.features.require_module
      ? `The program cannot be loaded: ${reason}. Install its packages with this Node (${process.version}): npm ci.`
      : `This program needs Node 20.19, or 22.12 or newer; this is ${process.version}.`,
  );
  return 1;
}

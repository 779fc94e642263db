#!/usr/bin/env node
import { availableParallelism } from 'node:os';
import { runCommandLine } from './commands';

// Hashing takes a thread of libuv's pool for each core but one; the four there are by default would leave none for
// files and name look-ups on a larger machine. Read when the pool is first used.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 3);

void runCommandLine(process.argv.slice(2), process.env).then((exitCode) => process.exit(exitCode));

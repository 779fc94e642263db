#!/usr/bin/env node
import { availableParallelism } from 'node:os';

// Hashing takes a thread of libuv's pool for each core but one. On a larger machine the default of four threads would
// leave none for files and name resolution. libuv reads the variable when the pool is first used.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 3);

// Output that cannot be written, because nobody reads it or the disk is full, must not end the process.
[process.stdout, process.stderr].forEach((output) => output.on('error', () => undefined));

// At SIGUSR1 Node would open a debugger, and at SIGUSR2 end; tools that rotate logs send them.
// `--inspect` still opens a debugger.
(['SIGUSR1', 'SIGUSR2'] as const).forEach((signal) => process.on(signal, () => undefined));

// npx runs this in a shell, which SIGTERM ends without passing it on: when that parent is gone, the program ends too.
if (process.env.npm_command === 'exec') {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) {
      clearInterval(watch);
      process.kill(process.pid, 'SIGTERM');
    }
  }, 1_000).unref();
}

void main().then((exitCode) => process.exit(exitCode));

async function main(): Promise<number> {
  if (!('require_module' in process.features && process.features.require_module)) {
    console.error(`This program needs Node 20.19, or 22.12 or newer; this is ${process.version}.`);
    return 1;
  }
  const program = load();
  return program ? program.runCommandLine(process.argv.slice(2), process.env) : 1;
}

/** The rest of the program. Reports a package that is missing, or was installed for another Node, in one sentence. */
function load(): typeof import('./commands') | undefined {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- an older Node cannot load what comes with it
    require('./packages-with-maps');
    // From here on: stacks name lines of src/.
    process.setSourceMapsEnabled(true);
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- an older Node cannot load what comes with it
    return require('./commands') as typeof import('./commands');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const [reason] = message.split('\n');
    if (code !== 'ERR_DLOPEN_FAILED' && !/^Cannot find (module '[^.]|native binding)/.test(message)) {
      throw cause;
    }
    console.error(
      `The program cannot be loaded: ${reason}. Install its packages with this Node (${process.version}): npm ci.`,
    );
    return undefined;
  }
}

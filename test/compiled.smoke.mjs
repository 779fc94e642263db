// One runs what one wrote: what tsc alone compiled is served, a debugger stops in lines of src/, and so do stacks.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { scratchCopy } from './support/scratch-copy.mjs';

const copy = scratchCopy(after);

/** The number of the first line of a file in src/ that holds a text, from 1. */
function lineOf(file, text) {
  const rows = readFileSync(file, 'utf8').split('\n');
  const line = rows.findIndex((row) => row.includes(text)) + 1;
  assert.ok(line > 0, `${file} does not hold ${text}`);
  return line;
}

test('after tsc alone, node dist/main.js is what src/ says now', () => {
  copy.replace('src/commands/command-line.ts', 'show the version', 'tell the version');
  const compiled = copy.run('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json']);
  assert.equal(compiled.status, 0, compiled.said);
  assert.match(copy.run(process.execPath, ['dist/main.js', '--help']).stdout, /tell the version/);
  copy.restore();
});

test('npm start builds what has changed, and says so; where nothing has, it does not', () => {
  const build = () => copy.run(process.execPath, ['scripts/build-if-possible.mjs']);
  const first = build();
  assert.equal(first.status, 0, first.said);
  assert.match(first.said, /^Building, since sources have changed/);
  assert.ok(existsSync(copy.at('dist/platform/openapi/assets/page.css')));
  assert.deepEqual(build(), { status: 0, said: '', stdout: '', stderr: '' });
});

test('npx tsc by itself writes nothing', () => {
  const { status, said } = copy.run('node_modules/.bin/tsc', ['--showConfig']);
  assert.equal(status, 0, said);
  assert.equal(JSON.parse(said).compilerOptions.noEmit, true);
});

test('a stack names the file and the line in src/', () => {
  const preload = copy.at('preload.cjs');
  const manifest = resolve('package.json');
  writeFileSync(
    preload,
    `const fs = require('node:fs');
    const { readFileSync } = fs;
    fs.readFileSync = (file, ...rest) => {
      if (file === ${JSON.stringify(manifest)}) throw new Error('planted');
      return readFileSync(file, ...rest);
    };`,
  );
  const { stderr } = copy.run(process.execPath, ['--require', preload, resolve('dist/main.js'), '--version']);
  const file = resolve('src/platform/common/version.ts');
  assert.match(stderr, /Error: planted\n/);
  assert.ok(stderr.includes(`${file}:${lineOf(file, 'readFileSync(')}:`), stderr);
});

test('a breakpoint at a line of src/ stops there, through the inspector', () => {
  const source = resolve('src/commands/command-line.ts');
  const wanted = lineOf(source, 'await program.parseAsync(');
  const compiled = resolve('dist/commands/command-line.js');
  const map = new SourceMap(JSON.parse(readFileSync(`${compiled}.map`, 'utf8')));
  /** The line of src/ that a position in the compiled file belongs to, from 1. */
  const originOf = (line, column) => {
    const entry = map.findEntry(line, column);
    return 'originalSource' in entry
      ? [resolve(dirname(compiled), entry.originalSource), entry.originalLine + 1]
      : undefined;
  };
  const rows = readFileSync(compiled, 'utf8').split('\n');
  const lineNumber = rows.findIndex((row, n) => originOf(n, row.search(/\S/))?.[1] === wanted);
  const preload = copy.at('debugger.cjs');
  writeFileSync(
    preload,
    `const session = new (require('node:inspector').Session)();
    session.connect();
    session.on('Debugger.paused', ({ params: { callFrames: [{ location }] } }) => {
      process.stderr.write('stopped ' + JSON.stringify(location) + '\\n');
    });
    session.post('Debugger.enable');
    session.post('Debugger.setBreakpointByUrl', ${JSON.stringify({ url: pathToFileURL(compiled).href, lineNumber })});`,
  );
  const { stderr } = copy.run(process.execPath, ['--require', preload, resolve('dist/main.js'), '--version']);
  const stopped = /^stopped (.*)$/m.exec(stderr);
  assert.ok(stopped, stderr);
  const location = JSON.parse(stopped[1]);
  assert.deepEqual(originOf(location.lineNumber, location.columnNumber), [source, wanted]);
});

test('npm run start:dev serves an edit', { timeout: 120_000 }, async () => {
  const child = spawn('npm', ['run', '--silent', 'start:dev'], {
    cwd: copy.folder,
    env: { PATH: process.env.PATH, HOME: copy.folder, PORT: '0', DATABASE_URL: `sqlite:${copy.folder}/pets.sqlite` },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'close');
  let log = '';
  [child.stdout, child.stderr].forEach((stream) => stream.on('data', (chunk) => (log += chunk)));
  /** The address that was logged for the nth time. */
  const address = async (nth) => {
    for (;;) {
      const [, url] = [...log.matchAll(/Listening on (http:\S+?)(?="|\s)/g)][nth - 1] ?? [];
      if (url) return url;
      await Promise.race([sleep(20), ended.then(() => assert.fail(log))]);
    }
  };
  try {
    const names = async (url) => {
      const document = /** @type {any} */ (await (await fetch(`${url}/openapi.json`)).json());
      return document.info.title;
    };
    assert.equal(await names(await address(1)), 'Pet and User service');
    const began = performance.now();
    copy.replace('src/platform/openapi/document.ts', `.setTitle('Pet and User service')`, `.setTitle('Edited')`);
    assert.equal(await names(await address(2)), 'Edited');
    console.log(`served the edit after ${Math.round(performance.now() - began)} ms`);
  } finally {
    process.kill(-child.pid, 'SIGKILL');
    await ended;
  }
});

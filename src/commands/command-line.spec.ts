import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { runCommandLine } from './command-line';
import { COMMANDS } from './commands';
import { SETTINGS } from '../config';

let output: string;
beforeEach(() => {
  output = '';
  jest.spyOn(console, 'error').mockImplementation((text) => void (output += `${text}\n`));
  jest.spyOn(process.stdout, 'write').mockImplementation((text, written) => {
    output += String(text);
    (written as unknown as () => void)();
    return true;
  });
});
afterEach(() => jest.restoreAllMocks());

it('lists every command and every setting in its help', async () => {
  expect(await runCommandLine(['--help'], {})).toBe(0);
  const words = output.split(/\s+/);
  expect(words).toEqual(expect.arrayContaining([...COMMANDS.map(({ name }) => name), ...Object.keys(SETTINGS)]));
});

it.each(COMMANDS.map((command) => [command.name, command] as const))('tells how to use %s', async (name, { help }) => {
  expect(await runCommandLine([name, '--help'], {})).toBe(0);
  expect(output).toContain(help);
});

it('tells its version', async () => {
  expect(await runCommandLine(['--version'], {})).toBe(0);
  const manifest = readFileSync(resolve(__dirname, '../../package.json'), 'utf8');
  expect(manifest).toContain(`"version": "${output.trim()}"`);
});

it.each([['check-config'], ['--check-config']])('%s names what is given, without its value', async (argument) => {
  expect(await runCommandLine([argument], { PORT: '4711', HOST: '' })).toBe(0);
  expect(output).toMatch(/valid[^]*Given: PORT;/);
  expect(output).not.toContain('4711');
  expect(await runCommandLine([argument], { PORT: 'canary' })).toBe(1);
  expect(output).toMatch(/PORT must be/);
  expect(output).not.toContain('canary');
});

it.each([['nope'], ['constructor'], ['--nope'], ['check-config', 'nope']])(
  'ends with 2 for what it does not know: %s %s',
  async (...args) => {
    expect(await runCommandLine(args, {})).toBe(2);
    expect(output).toMatch(/nope|constructor|Usage/);
  },
);

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { runCommandLine } from './command-line';
import { Command } from 'commander';
import { COMMANDS } from './commands';
import { SETTINGS, settingsIn } from '../platform/config';

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

const known = new Command();
COMMANDS.forEach((add) => add(known, undefined as never));
const names = known.commands.map((command) => command.name());

it.each([['--help'], ['-h'], ['help']])('lists every command and every setting at %s', async (...args) => {
  expect(await runCommandLine(args, {})).toBe(0);
  const words = output.split(/\s+/);
  expect(words).toEqual(expect.arrayContaining([...names, ...settingsIn(SETTINGS).map(({ name }) => name)]));
  expect(output).toMatch(/Settings come from the environment/);
});

it.each(names)('tells how to use %s', async (name) => {
  for (const args of [
    [name, '--help'],
    [name, '-h'],
    ['help', name],
  ]) {
    output = '';
    expect(await runCommandLine(args, { PORT: 'none' })).toBe(0);
    expect(output).toContain(`Usage: pet-user-service ${name} `);
    expect(output).toMatch(/Settings come from the environment/);
  }
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

it.each([
  [['nope'], /unknown command 'nope'/],
  [['constructor'], /unknown command 'constructor'/],
  [['bakcup', 'x'], /Did you mean backup\?/],
  [['--nope'], /unknown option '--nope'/],
  [['serve', '--nope'], /unknown option '--nope'/],
  [['check-config', 'nope'], /too many arguments/],
  [['backup'], /missing required argument 'file'/],
  [['help', 'nope'], /Usage: pet-user-service/],
])('ends with 2 for bad usage, and says what is wrong: %j', async (args, message) => {
  expect(await runCommandLine(args, {})).toBe(2);
  expect(output).toMatch(message);
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadConfig } from './config';
import { givenNames, settingsIn } from './setting';
import { SETTINGS } from './settings';

const project = (file: string) => readFileSync(resolve(__dirname, '../../..', file), 'utf8');

describe('loadConfig', () => {
  it('names every bad variable at once and shows no value', () => {
    const load = () => loadConfig({ PORT: 'x7x', DATABASE_URL: 'mongo:secret', PET_CREATION: 'perhaps' });
    expect(load).toThrow(/PORT[^]*DATABASE_URL[^]*PET_CREATION/);
    expect(load).not.toThrow(/x7x|secret|perhaps/);
  });

  it.each([
    ['sqlite:/a/b.sqlite', '/a/b.sqlite'],
    ['sqlite:///a/b.sqlite', '/a/b.sqlite'],
    ['sqlite:b.sqlite', `${process.cwd()}/b.sqlite`],
  ])('takes the address %s', (url, file) => {
    expect(loadConfig({ DATABASE_URL: url }).database).toMatchObject({ type: 'sqlite', file });
  });

  it('refuses a database in memory: readers have a connection of their own', () => {
    expect(() => loadConfig({ DATABASE_URL: 'sqlite::memory:' })).toThrow(/DATABASE_URL/);
  });

  it.each(['postgres://u:p%40@db:5433/pets', 'postgresql://db/pets'])('takes the address %s', (url) => {
    expect(loadConfig({ DATABASE_URL: url }).database).toMatchObject({ type: 'postgres', url });
  });

  it.each(['postgres:', 'postgres://db', 'postgres:///pets', 'postgres://db/pets?sslmode=disable'])(
    'refuses the address %s',
    (url) => {
      expect(() => loadConfig({ DATABASE_URL: url })).toThrow(/DATABASE_URL/);
    },
  );

  it.each([
    ['DATABASE_URL', 'sqlite://data.sqlite'],
    ['DATABASE_URL', 'sqlite:////data.sqlite'],
    ['DATABASE_URL', 'sqlite:~/data.sqlite'],
    ['DATABASE_URL', 'sqlite:data.sqlite?mode=ro'],
    ['CORS_ORIGINS', 'https://*.example'],
    ['CORS_ORIGINS', 'https://a.example https://*.example'],
    ['CORS_ORIGINS', '*,https://a.example'],
    ['PET_CREATION', 'closed?'],
    ['PET_CREATION', '"closed"'],
    ['HOST', ' 127.0.0.1'],
    ['OAUTH_AUDIENCE', "'pets'"],
    ['OAUTH_AUDIENCE', 'pets\t'],
    ['METRICS_PORT', 'udp://10.0.0.1:9090'],
  ])('refuses %s=%j, which would be something else than was meant', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(new RegExp(`${name} must be `));
  });

  it('takes an IPv6 address as it stands in a URL too', () => {
    const { host, metrics } = loadConfig({ HOST: '[::1]', METRICS_HOST: '::1', METRICS_PORT: '0' });
    expect([host, metrics?.host]).toEqual(['::1', '::1']);
  });

  it('passes over what Kubernetes sets for a service named metrics', () => {
    const METRICS_PORT = 'tcp://10.0.0.1:9090';
    expect(loadConfig({ METRICS_PORT }).metrics).toBeUndefined();
    expect(givenNames(SETTINGS, { METRICS_PORT, PORT: '1' })).toEqual(['PORT']);
  });

  it('takes an issuer by a safe address, with an audience', () => {
    const load = (issuer: string, OAUTH_AUDIENCE = 'a') => loadConfig({ OAUTH_ISSUER: issuer, OAUTH_AUDIENCE }).oauth;
    expect(load('https://issuer.example/realm')).toMatchObject({ issuer: 'https://issuer.example/realm', scopes: [] });
    expect(load('http://127.0.0.1:80')).not.toBeNull();
    expect(load('')).toBeNull();
    for (const unsafe of [
      'http://issuer.example',
      'https://a:b@issuer.example',
      'https://issuer.example/?x',
      'issuer',
    ]) {
      expect(() => load(unsafe)).toThrow(/OAUTH_ISSUER must be an https/);
    }
    expect(() => load('https://issuer.example', '')).toThrow(/OAUTH_AUDIENCE/);
    expect(() => loadConfig({ OAUTH_SCOPE: 'pets"write' })).toThrow(/OAUTH_SCOPE/);
  });

  it('refuses several processes on one SQLite file', () => {
    expect(() => loadConfig({ WEB_CONCURRENCY: '2' })).toThrow(/WEB_CONCURRENCY must be 1 with SQLite/);
    expect(loadConfig({ WEB_CONCURRENCY: '2', DATABASE_URL: 'postgres://db/pets' }).processes).toBe(2);
  });

  it('takes the value from a file, without its last line break', () => {
    expect(loadConfig({ HOST_FILE: resolve(__dirname, '../../../.nvmrc') }).host).toBe(project('.nvmrc').trim());
  });

  it('refuses a file that it cannot read, and a value given twice', () => {
    expect(() => loadConfig({ HOST_FILE: '/nowhere/canary' })).toThrow(/HOST must be in a readable file/);
    expect(() => loadConfig({ HOST: 'a', HOST_FILE: 'b' })).toThrow(/HOST must be given once/);
    expect(() => loadConfig({ HOST_FILE: process.execPath })).toThrow(/HOST must be .* of UTF-8/);
    // Read to its end it would take all memory.
    expect(() => loadConfig({ HOST_FILE: '/dev/zero' })).toThrow(/HOST must be .* at most 1048576 bytes/);
  });
});

describe('the list of settings', () => {
  const settings = settingsIn(SETTINGS);

  it('is the one in docs/settings.md, which says of each who changes it', () => {
    const row = /^\| `([A-Z\d_]+)` +\| `?(.*?)`? +\| (.*?) +\| (.*?) +\|$/gm;
    const rows = [...project('docs/settings.md').matchAll(row)].map(([, ...cells]) => cells);
    const written = settings.map(({ name, default: text, meaning }) => [name, text, meaning]);
    expect(rows.map((cells) => cells.slice(0, 3))).toEqual(written);
    expect(rows.filter(([, , , who]) => !who)).toEqual([]);
  });

  it('is the one in .env.example', () => {
    const lines = project('.env.example').matchAll(/^(\w+)=(.*)$/gm);
    expect([...lines].map(([, name, value]) => [name, value])).toEqual(
      settings.map(({ name, default: text }) => [name, text]),
    );
  });
});

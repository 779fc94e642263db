import { loadConfig } from './config';

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
    expect(loadConfig({ DATABASE_URL: url }).databaseFile).toBe(file);
  });

  it('refuses a database in memory: readers have a connection of their own', () => {
    expect(() => loadConfig({ DATABASE_URL: 'sqlite::memory:' })).toThrow(/DATABASE_URL/);
  });
});

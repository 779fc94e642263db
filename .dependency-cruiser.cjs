const { existsSync, readdirSync } = require('node:fs');

/*
 * The walls between the folders of src/. A folder with an index.ts is a module, and the index is its door.
 * A folder that is not written down here may import what pet/ may.
 */
const MAY_IMPORT = {
  common: [],
  config: ['common'],
  database: ['common', 'config'],
  http: ['common', 'config'],
  logging: ['http', 'common', 'config'],
  openapi: ['http', 'common', 'config'],
  server: ['health', 'http', 'common', 'config'],
  password: ['common', 'config'],
  auth: ['http', 'database', 'common', 'config'],
  'log-in': ['user', 'password', 'auth', 'http', 'database', 'common', 'config'],
  user: ['password', 'auth', 'http', 'database', 'common', 'config'],
  metrics: ['password', 'database', 'server', 'http', 'common', 'config'],
  commands: ['.*'],
};
const A_MODULE_MAY_IMPORT = ['auth', 'http', 'common', 'database', 'config'];

const folders = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const modules = folders.filter((name) => existsSync(`src/${name}/index.ts`)).join('|');

const walls = (folder) => ({
  name: `${folder}-walls`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: {
    path: '^src/',
    pathNot: `^src/(${[folder, ...(MAY_IMPORT[folder] ?? A_MODULE_MAY_IMPORT)].join('|')})(/|\\.ts$)`,
  },
});

const throughTheDoor = (from, own) => ({
  name: 'through-the-door',
  comment: 'A module is imported through its index.ts only.',
  severity: 'error',
  from: { path: from },
  to: { path: `^src/(${modules})/`, pathNot: [`^src/(${modules})/index\\.ts$`, ...own] },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...folders.map(walls),
    throughTheDoor('^src/([^/]+)/', ['^src/$1/']),
    throughTheDoor('^src/[^/]+$', []),
  ],
  options: { tsConfig: { fileName: 'tsconfig.json' }, doNotFollow: { path: 'node_modules' } },
};

const { existsSync, readdirSync } = require('node:fs');

/*
 * The walls between the rooms of src/. The index.ts of a room is its door; only common/ has none, for its files are
 * leaves. A room that is not written down here may import what pet/ may.
 */
const MAY_IMPORT = {
  common: [],
  config: ['common'],
  database: ['common', 'config'],
  http: ['common', 'config'],
  logging: ['http', 'common', 'config'],
  openapi: ['http', 'common', 'config'],
  server: ['health', 'http', 'common', 'config'],
  health: ['database', 'http', 'common', 'config'],
  password: ['common', 'config'],
  auth: ['http', 'database', 'common', 'config'],
  idempotency: ['auth', 'http', 'database', 'common', 'config'],
  'log-in': ['user', 'password', 'auth', 'http', 'database', 'common', 'config'],
  user: ['password', 'auth', 'idempotency', 'http', 'database', 'common', 'config'],
  metrics: ['logging', 'password', 'database', 'server', 'http', 'common', 'config'],
};
const A_MODULE_MAY_IMPORT = ['auth', 'idempotency', 'http', 'common', 'database', 'config'];
/** The command line and the set-up for tests put everything together, as app.ts does. */
const MAY_IMPORT_ALL = ['commands', 'testing'];

const rooms = readdirSync('src', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const modules = rooms.filter((name) => name !== 'common');

const doorless = modules.find((name) => !existsSync(`src/${name}/index.ts`));
if (doorless) {
  throw new Error(`src/${doorless}/ has no door: add src/${doorless}/index.ts, which exports what others may use`);
}

const walls = (room) => {
  const allowed = MAY_IMPORT[room] ?? A_MODULE_MAY_IMPORT;
  return {
    name: `walls-of-${room}`,
    comment: `src/${room}/ may import ${allowed.join(', ') || 'no other room'}: ask one of them, or allow more in .dependency-cruiser.cjs.`,
    severity: 'error',
    from: { path: `^src/${room}/` },
    to: { path: '^(src|test)/', pathNot: `^src/(${[room, ...allowed].join('|')})/` },
  };
};

const throughTheDoor = (from, own) => ({
  name: 'through-the-door',
  comment: 'A room is imported by its door: export it in the index.ts of that room, and import that.',
  severity: 'error',
  from: { path: from },
  to: { path: `^src/(${modules.join('|')})/`, pathNot: [`^src/(${modules.join('|')})/index\\.ts$`, ...own] },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'No file needs another that needs it: move what both need into a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...rooms.filter((room) => !MAY_IMPORT_ALL.includes(room)).map(walls),
    throughTheDoor('^src/([^/]+)/', ['^src/$1/']),
    throughTheDoor('^(src/[^/]+$|test/|ormconfig)', []),
  ],
  options: {
    // Type imports count too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};

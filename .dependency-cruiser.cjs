const { existsSync, readdirSync } = require('node:fs');

/*
 * The walls between the rooms of src/: the product above (a module each), the platform below, which knows no module.
 * The index.ts of a room is its door; only platform/common/ has none, for its files are leaves.
 */
const PLATFORM = {
  common: [],
  scheduling: ['common'],
  config: ['common'],
  database: ['scheduling', 'config', 'common'],
  http: ['scheduling', 'config', 'common'],
  logging: ['http', 'config', 'common'],
  openapi: ['http', 'config', 'common'],
  health: ['database', 'http', 'config', 'common'],
  idempotency: ['database', 'http', 'config', 'common'],
  server: ['health', 'http', 'scheduling', 'config', 'common'],
  metrics: ['logging', 'database', 'server', 'http', 'config', 'common'],
};
/** What a module may import beside the platform; one that is not written down here, auth. */
const MODULES = { auth: [] };
const A_MODULE_MAY_IMPORT = ['auth'];
/** The command line and the set-up for tests put everything together, as app.ts does. */
const MAY_IMPORT_ALL = ['commands', 'testing'];

const roomsIn = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
const modules = roomsIn('src').filter((name) => name !== 'platform' && !MAY_IMPORT_ALL.includes(name));
const platform = roomsIn('src/platform');

const unwalled = platform.find((name) => !(name in PLATFORM));
if (unwalled) {
  throw new Error(`src/platform/${unwalled}/ has no walls: say in .dependency-cruiser.cjs what it may import`);
}
const doors = [
  ...[...modules, ...MAY_IMPORT_ALL],
  ...platform.filter((name) => name !== 'common').map((name) => `platform/${name}`),
];
const doorless = doors.find((room) => !existsSync(`src/${room}/index.ts`));
if (doorless) {
  throw new Error(`src/${doorless}/ has no door: add src/${doorless}/index.ts, which exports what others may use`);
}

const walls = (room, allowed) => ({
  name: `walls-of-${room.replace('/', '-')}`,
  comment: `src/${room}/ may import ${allowed.join(', ') || 'no other room'}: ask one of them, or allow more in .dependency-cruiser.cjs.`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^(src|test)/', pathNot: `^src/(${[room, ...allowed].join('|')})/` },
});
const inPlatform = (name) => `platform/${name}`;

const throughTheDoor = (from, own) => ({
  name: 'through-the-door',
  comment: 'A room is imported by its door: export it in the index.ts of that room, and import that.',
  severity: 'error',
  from: { path: from },
  to: { path: `^src/(${doors.join('|')})/`, pathNot: [`^src/(${doors.join('|')})/index\\.ts$`, ...own] },
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
    {
      name: 'own-dependency',
      comment: 'What the service imports is a dependency of its own, not of a package: npm install --save-exact it.',
      severity: 'error',
      // testing/ takes what its users bring along.
      from: { path: '^src/(?!testing/)' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    ...modules.map((name) => walls(name, [...(MODULES[name] ?? A_MODULE_MAY_IMPORT), 'platform'])),
    ...platform.map((name) => walls(inPlatform(name), PLATFORM[name].map(inPlatform))),
    throughTheDoor('^src/platform/([^/]+)/', ['^src/platform/$1/']),
    throughTheDoor('^src/(?!platform/)([^/]+)/', ['^src/$1/']),
    throughTheDoor('^(src/[^/]+$|test/|ormconfig)', []),
  ],
  options: {
    // Type imports count too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};

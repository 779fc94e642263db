/** The walls between the modules; each door is an index.ts. */
const only = (from, allowed) => ({
  name: `${from}-walls`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...allowed].join('|')})(/|\\.ts$)` },
});

const throughTheDoor = (from, own) => ({
  name: 'through-the-door',
  comment: 'A module is imported through its index.ts only.',
  severity: 'error',
  from: { path: from },
  to: {
    path: '^src/(pet|user|auth|health|server)/',
    pathNot: ['^src/(pet|user|auth|health|server)/index\\.ts$', ...own],
  },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only('pet', ['auth', 'common', 'database']),
    only('user', ['auth', 'common', 'database', 'config']),
    only('auth', ['common', 'database', 'config']),
    only('health', ['auth', 'common', 'database']),
    only('server', ['health', 'common', 'config']),
    only('database', ['common', 'config']),
    only('common', ['database']),
    throughTheDoor('^src/([^/]+)/', ['^src/$1/']),
    throughTheDoor('^src/[^/]+$', []),
  ],
  options: { tsConfig: { fileName: 'tsconfig.json' }, doNotFollow: { path: 'node_modules' } },
};

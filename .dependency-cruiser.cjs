/** The walls between the modules; each door is an index.ts. */
const only = (from, allowed) => ({
  name: `${from}-walls`,
  severity: 'error',
  from: { path: `^src/${from}/` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...allowed].join('|')})(/|\\.ts$)` },
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    only('pet', ['auth', 'common', 'database']),
    only('user', ['auth', 'common', 'database', 'config']),
    only('auth', ['common', 'database', 'config']),
    only('database', ['common', 'config']),
    only('common', ['database']),
    {
      name: 'through-the-door',
      comment: 'A module is imported through its index.ts only.',
      severity: 'error',
      from: { path: '^src/(?:([^/]+)/)?' },
      to: { path: '^src/(pet|user|auth)/', pathNot: ['^src/(pet|user|auth)/index\\.ts$', '^src/$1/'] },
    },
  ],
  options: { tsConfig: { fileName: 'tsconfig.json' }, doNotFollow: { path: 'node_modules' } },
};

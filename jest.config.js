const { availableParallelism } = require('node:os');

// Nest 12 is ESM only, and Jest cannot require() ESM before Node 24.9: the ESM packages
// are compiled to CommonJS together with the sources, alike on every Node version.
const esmPackages = [
  '@nestjs',
  '@tokenizer',
  'file-type',
  'load-esm',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'jose',
];
const base = {
  testEnvironment: '<rootDir>/test/support/environment.ts',
  transform: {
    '^.+\\.(ts|js)$': [
      '@swc/jest',
      {
        swcrc: false,
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmPackages.join('|')})/)`],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  // Each suite loads all modules anew: these two packages in one file, or in part, instead of in 654 files.
  moduleNameMapper: {
    '^rxjs(/operators)?$': '<rootDir>/node_modules/rxjs/dist/bundles/rxjs.umd.js',
    '^es-toolkit/compat$': '<rootDir>/test/support/es-toolkit.cjs',
  },
};
module.exports = {
  // Machines of continuous integration are slow; a test that hangs ends all the same.
  testTimeout: 60_000,
  // One worker more than there are cores, for suites that wait; and an end, whatever the suites leave behind.
  maxWorkers: availableParallelism() + 1,
  forceExit: true,
  reporters: ['default', '<rootDir>/test/support/skipped-tests.cjs', '<rootDir>/test/support/documented-answers.cjs'],
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/src/**/*.spec.ts', '<rootDir>/test/library-internals/*.spec.ts'],
    },
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
      setupFilesAfterEnv: ['<rootDir>/test/support/conformance.ts'],
    },
    {
      // Their packages are not the project's own: npm ci --prefix test/nest-packages.
      ...base,
      displayName: 'nest-packages',
      // Nest's core looks for the packages of gateways and microservices beside itself.
      modulePaths: ['<rootDir>/test/nest-packages/node_modules'],
      testMatch: ['<rootDir>/test/nest-packages/*.spec.ts'],
    },
    {
      // They measure how long others wait, so they run one at a time and beside nothing else: npm run test:gates.
      ...base,
      displayName: 'gates',
      testMatch: ['<rootDir>/test/gates/*.gate-spec.ts'],
      setupFilesAfterEnv: ['<rootDir>/test/support/conformance.ts'],
    },
  ],
};

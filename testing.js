// The door for suites of others: package.json names it, and resolvers that do not read `exports` find it by its place.
try {
  module.exports = require('./dist/testing/index.js');
} catch (cause) {
  if (process.env.JEST_WORKER_ID === undefined) {
    throw cause;
  }
  throw new Error(
    'Jest cannot load the ESM packages of the service by itself: set "preset": "pet-user-service" in its configuration, ' +
      'or, beside a preset of your own, testEnvironment and moduleNameMapper as jest-preset.js of this package has them.',
    { cause },
  );
}

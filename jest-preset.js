// For suites of others that start the service: `{ "preset": "pet-user-service" }`.
module.exports = {
  testEnvironment: require.resolve('./dist/testing/jest-environment.js'),
  moduleNameMapper: { '^pet-user-service/testing$': require.resolve('./dist/testing/within-jest.js') },
};

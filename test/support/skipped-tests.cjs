// A Jest reporter: says why tests are skipped, and how they run.
module.exports = class SkippedTests {
  constructor({ testNamePattern }) {
    this.partial = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, { numPendingTests }) {
    if (numPendingTests > 0 && !this.partial) {
      const others = process.env.TEST_DATABASE_URL
        ? 'are of SQLite: they run without TEST_DATABASE_URL'
        : 'are of PostgreSQL: they run with TEST_DATABASE_URL=postgres://…';
      console.log(`Skipped: ${numPendingTests} tests. They ${others}, or fill a disk that only root can mount.`);
    }
  }
};

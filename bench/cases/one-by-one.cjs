// Loaded before the service by the case durable-create: each write has a COMMIT to itself.
const { SqliteEngine } = require('../../dist/platform/database/sqlite/sqlite-engine.js');

const { write } = SqliteEngine.prototype;
let latest = Promise.resolve();

SqliteEngine.prototype.write = function (work, options) {
  const turn = latest.then(() => write.call(this, work, options));
  latest = turn.catch(() => undefined);
  return turn;
};

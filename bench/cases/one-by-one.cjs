// Loaded before the service by the case durable-create: each write has a COMMIT to itself.
const { SqliteUnitOfWork } = require('../../dist/database/sqlite/sqlite-unit-of-work.js');

const { write } = SqliteUnitOfWork.prototype;
let latest = Promise.resolve();

SqliteUnitOfWork.prototype.write = function (work) {
  const turn = latest.then(() => write.call(this, work));
  latest = turn.catch(() => undefined);
  return turn;
};

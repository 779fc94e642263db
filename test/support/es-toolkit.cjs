// Stands for es-toolkit/compat, whose index loads all of its 428 files: a function is loaded when it is first used.
module.exports = new Proxy(
  {},
  { get: (_, name) => (name === '__esModule' ? undefined : require(`es-toolkit/compat/${String(name)}`)) },
);

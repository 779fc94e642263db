/** better-sqlite3 12 aborts on current Node 24; 13 (Node-API) crashes on Node 20. See docs/decisions.md. */
export function sqliteDriver(): unknown {
  const major = Number(process.versions.node.split('.')[0]);
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return major >= 22 ? require('better-sqlite3-napi') : require('better-sqlite3');
}

// Holds the lockfiles to what keeps an installation honest: each package with the hash of its content, none with the
// address of a registry, so that whichever registry serves it must serve the same bytes.
import { readFileSync } from 'node:fs';

const faults = process.argv.slice(2).flatMap((file) =>
  Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages)
    .filter(([path, entry]) => path !== '' && !entry.link)
    .flatMap(([path, { integrity, resolved }]) => [
      ...(/^sha512-/.test(integrity) ? [] : [`${file}: ${path} has no integrity`]),
      ...(resolved === undefined ? [] : [`${file}: ${path} names the address it came from`]),
    ]),
);

if (faults.length > 0) {
  console.error(faults.join('\n'));
  console.error('Write the lockfile anew: npm install --omit-lockfile-registry-resolved, without node_modules.');
  process.exitCode = 1;
}

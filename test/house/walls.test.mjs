// Each wall is shown to fire: a scratch copy of the sources gets one violation a rule, and all must be reported.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';

const PROJECT = resolve(import.meta.dirname, '../..');

/** A copy of what the checks look at, which is gone after the tests. */
function scratchCopy() {
  const folder = mkdtempSync(join(tmpdir(), 'house-'));
  after(() => rmSync(folder, { recursive: true }));
  for (const part of ['src', 'test', 'ormconfig.ts', 'tsconfig.json', '.dependency-cruiser.cjs', 'package.json']) {
    cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return {
    plant(file, text) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    },
    cruise: () =>
      spawnSync(join(folder, 'node_modules/.bin/depcruise'), ['src', 'test', 'ormconfig.ts'], {
        cwd: folder,
        encoding: 'utf8',
      }).stdout,
    folder,
  };
}

const importOf = (path) => `import * as planted from '${path}';\nexport { planted };\n`;

test('every wall reports a planted violation', () => {
  const copy = scratchCopy();
  const rooms = readdirSync(join(copy.folder, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !['commands', 'testing'].includes(entry.name))
    .map(({ name }) => name);
  for (const room of rooms) {
    copy.plant(`src/${room}/planted.ts`, importOf('../commands'));
  }
  copy.plant(
    'src/pet/planted-entity.ts',
    "import type { User } from '../user/user.entity';\nexport type Planted = User;\n",
  );
  copy.plant('test/planted.ts', importOf('../src/pet/pet.service'));
  copy.plant('src/shelter/index.ts', importOf('../user'));
  copy.plant('src/common/planted-a.ts', importOf('./planted-b'));
  copy.plant('src/common/planted-b.ts', importOf('./planted-a'));
  const report = copy.cruise();
  for (const room of rooms) {
    assert.match(report, new RegExp(`walls-of-${room}: src/${room}/planted\\.ts → src/commands/index\\.ts`));
  }
  assert.match(report, /through-the-door: src\/pet\/planted-entity\.ts → src\/user\/user\.entity\.ts/);
  assert.match(report, /walls-of-pet: src\/pet\/planted-entity\.ts/);
  assert.match(report, /through-the-door: test\/planted\.ts → src\/pet\/pet\.service\.ts/);
  assert.match(report, /walls-of-shelter: src\/shelter\/index\.ts → src\/user\/index\.ts/);
  assert.match(report, /no-cycles: src\/common\/planted-a\.ts/);
});

test('a room without a door is named, with the remedy', () => {
  const copy = scratchCopy();
  copy.plant('src/shelter/shelter.module.ts', 'export class ShelterModule {}\n');
  const { stderr } = spawnSync(join(copy.folder, 'node_modules/.bin/depcruise'), ['src'], {
    cwd: copy.folder,
    encoding: 'utf8',
  });
  assert.match(stderr, /src\/shelter\/ has no door: add src\/shelter\/index\.ts/);
});

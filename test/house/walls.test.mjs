// Each wall is shown to fire: a scratch copy of the sources gets one violation a rule, and all must be reported.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { scratchCopy } from '../support/scratch-copy.mjs';

const cruise = (copy, ...folders) => copy.run('node_modules/.bin/depcruise', folders);

const importOf = (path) => `import * as planted from '${path}';\nexport { planted };\n`;

test('every wall reports a planted violation', () => {
  const copy = scratchCopy(after);
  const roomsIn = (folder) =>
    readdirSync(copy.at(folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`);
  const above = roomsIn('src').filter((room) => !/platform|commands|testing/.test(room));
  const below = roomsIn('src/platform');
  above.forEach((room) => copy.plant(`${room}/planted.ts`, importOf('../commands')));
  below.forEach((room) => copy.plant(`${room}/planted.ts`, importOf('../../pet')));
  copy.plant(
    'src/pet/planted-entity.ts',
    "import type { User } from '../user/user.entity';\nexport type Planted = User;\n",
  );
  copy.plant('test/planted.ts', importOf('../src/pet/pet.service'));
  copy.plant('src/shelter/index.ts', importOf('../user'));
  copy.plant('src/pet/planted-library.ts', importOf('sonic-boom'));
  copy.plant('src/platform/common/planted-a.ts', importOf('./planted-b'));
  copy.plant('src/platform/common/planted-b.ts', importOf('./planted-a'));
  const report = cruise(copy, 'src', 'test', 'ormconfig.ts').stdout;
  const name = (room) => room.replace('src/', '').replace('/', '-');
  for (const room of above) {
    assert.match(report, new RegExp(`walls-of-${name(room)}: ${room}/planted\\.ts → src/commands/index\\.ts`));
  }
  for (const room of below) {
    assert.match(report, new RegExp(`walls-of-${name(room)}: ${room}/planted\\.ts → src/pet/index\\.ts`));
  }
  assert.match(report, /through-the-door: src\/pet\/planted-entity\.ts → src\/user\/user\.entity\.ts/);
  assert.match(report, /walls-of-pet: src\/pet\/planted-entity\.ts/);
  assert.match(report, /through-the-door: test\/planted\.ts → src\/pet\/pet\.service\.ts/);
  assert.match(report, /walls-of-shelter: src\/shelter\/index\.ts → src\/user\/index\.ts/);
  assert.match(report, /own-dependency: src\/pet\/planted-library\.ts → \S*node_modules\/sonic-boom\//);
  assert.match(report, /no-cycles: src\/platform\/common\/planted-a\.ts/);
});

test('a room without a door is named, with the remedy', () => {
  const copy = scratchCopy(after);
  copy.plant('src/shelter/shelter.module.ts', 'export class ShelterModule {}\n');
  const { stderr } = cruise(copy, 'src');
  assert.match(stderr, /src\/shelter\/ has no door: add src\/shelter\/index\.ts/);
});

test('a room of the platform without walls is named, with the remedy', () => {
  const copy = scratchCopy(after);
  copy.plant('src/platform/weather/index.ts', 'export {};\n');
  const { stderr } = cruise(copy, 'src');
  assert.match(stderr, /src\/platform\/weather\/ has no walls: say in \.dependency-cruiser\.cjs what it may import/);
});

test('an import from the inside of a package is reported', () => {
  const copy = scratchCopy(after);
  copy.plant(
    'src/pet/planted.ts',
    "import Planted = require('pg');\nimport Inside from 'pg/lib/query';\nexport { Planted, Inside };\n",
  );
  const { stdout } = copy.run('node_modules/.bin/eslint', ['src/pet/planted.ts']);
  assert.match(stdout, /2:1\s+error\s+No import from the inside of a package/);
});

// Each wall is shown to fire: a scratch copy of the sources gets one violation a rule, and all must be reported.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, test } from 'node:test';
import { scratchCopy } from '../support/scratch-copy.mjs';

const cruise = (copy, ...folders) => copy.run('node_modules/.bin/depcruise', folders);

const importOf = (path) => `import * as planted from '${path}';\nexport { planted };\n`;

test('every wall reports a planted violation', () => {
  const copy = scratchCopy(after);
  const rooms = readdirSync(copy.at('src'), { withFileTypes: true })
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
  const report = cruise(copy, 'src', 'test', 'ormconfig.ts').stdout;
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
  const copy = scratchCopy(after);
  copy.plant('src/shelter/shelter.module.ts', 'export class ShelterModule {}\n');
  const { stderr } = cruise(copy, 'src');
  assert.match(stderr, /src\/shelter\/ has no door: add src\/shelter\/index\.ts/);
});

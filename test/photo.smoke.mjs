// Photos of the built service: what it acknowledged outlives kill -9, and without sharp it serves everything else.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import sharp from 'sharp';
import { json, start, temporaryFolder } from './support/built-service.mjs';
import { createDatabase, server } from './support/server-database.mjs';

const folder = temporaryFolder(after);
/** @returns {Promise<any>} */
const bodyOf = (answer) => answer.json();

async function ownerOf({ url }) {
  const user = { username: 'tess', password: 'right' };
  await fetch(`${url}/v2/user`, { method: 'POST', ...json(user) });
  const logIn = await fetch(`${url}/v2/user/login`, { method: 'POST', ...json(user) });
  return { Authorization: `Bearer ${await logIn.json()}` };
}

async function newPet({ url }) {
  const answer = await fetch(`${url}/v2/pet`, { method: 'POST', ...json({ name: 'Rex', photoUrls: [] }) });
  return (await bodyOf(answer)).id;
}

const upload = ({ url }, owner, pet, body) =>
  fetch(`${url}/v2/pet/${pet}/uploadImage`, {
    method: 'POST',
    headers: { ...owner, 'Content-Type': 'application/octet-stream' },
    body,
  });

/** Photos that were acknowledged until the service was killed. */
async function uploadUntilKilled(service, bytes) {
  const owner = await ownerOf(service);
  const acknowledged = [];
  const client = async () => {
    for (let pet, n = 0; ; n++) {
      pet = n % 20 === 0 ? await newPet(service) : pet;
      const answer = await upload(service, owner, pet, bytes);
      const { photo } = await bodyOf(answer);
      acknowledged.push({ pet, ...photo });
    }
  };
  const clients = Array.from({ length: 8 }, client);
  while (acknowledged.length < 25) await new Promise((resolve) => setTimeout(resolve, 5));
  service.kill('SIGKILL');
  await Promise.allSettled(clients);
  return acknowledged;
}

for (const [name, skip, open] of /** @type {const} */ ([
  ['SQLite', false, async () => ({ url: `sqlite:${folder}/killed.sqlite`, drop: async () => {} })],
  ['PostgreSQL', server === undefined && 'TEST_DATABASE_URL names no server', createDatabase],
])) {
  test(
    `photos acknowledged before kill -9 are there, whole, and stand in their pets, on ${name}`,
    { skip },
    async () => {
      const database = await open();
      const settings = { DATABASE_URL: database.url };
      const noise = { type: /** @type {const} */ ('gaussian'), mean: 128, sigma: 40 };
      const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'red', noise } })
        .jpeg()
        .toBuffer();
      const acknowledged = await uploadUntilKilled(await start(settings), bytes);

      const service = await start(settings);
      for (const { pet, id, url, type, bytes: length, width, height } of acknowledged) {
        const answer = await fetch(service.url + url);
        const content = Buffer.from(await answer.arrayBuffer());
        assert.deepEqual([answer.status, answer.headers.get('content-type'), content.length], [200, type, length]);
        // Decodes every pixel.
        const { info } = await sharp(content).raw().toBuffer({ resolveWithObject: true });
        assert.deepEqual([info.width, info.height], [width, height]);
        const { photoUrls } = await bodyOf(await fetch(`${service.url}/v2/pet/${pet}`));
        assert.ok(photoUrls.includes(url), `pet ${pet} lacks photo ${id}`);
        const listed = await bodyOf(await fetch(`${service.url}/v2/pet/${pet}/photos`));
        assert.deepEqual(listed.map((photo) => photo.url).sort(), photoUrls.sort());
      }
      await service.stop();
      await database.drop();
    },
  );
}

for (const missing of ['sharp', '@img']) {
  test(`without ${missing}, the service starts, says so in one line, and answers an upload 501`, async () => {
    const tree = join(folder, missing.replace('@img', 'no-parts').replace('sharp', 'none'));
    cpSync('dist', join(tree, 'dist'), { recursive: true });
    cpSync('package.json', join(tree, 'package.json'));
    mkdirSync(join(tree, 'node_modules'));
    // sharp looks for its parts from where it is.
    for (const entry of readdirSync('node_modules').filter((found) => found !== missing && found !== 'sharp')) {
      symlinkSync(resolve('node_modules', entry), join(tree, 'node_modules', entry));
    }
    if (missing !== 'sharp') {
      cpSync('node_modules/sharp', join(tree, 'node_modules/sharp'), { recursive: true });
    }
    const main = join(tree, 'dist/main.js');
    const service = await start({ DATABASE_URL: `sqlite:${tree}/pets.sqlite` }, [], main);
    const said = () => service.lines().filter(({ msg }) => /sharp/.test(msg));
    assert.deepEqual(
      said().map(({ level, msg }) => [level, msg.split(': ')[0]]),
      [['warn', 'Photos cannot be uploaded, as sharp cannot be loaded']],
    );
    const answer = await upload(service, await ownerOf(service), await newPet(service), 'x');
    assert.deepEqual([answer.status, (await bodyOf(answer)).type], [501, '/problems/photos-unavailable']);
    assert.equal(said().length, 1);
    await service.stop();
  });
}

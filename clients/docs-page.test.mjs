// Opens /docs in a browser and does by clicking what a developer would try first.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { start, temporaryFolder } from '../test/support/built-service.mjs';

const executablePath = process.env.BROWSER_PATH ?? '/usr/bin/chromium';
const skip = existsSync(executablePath) ? false : `there is no browser at ${executablePath}`;
const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/** Where pictures of the first screen go, if anywhere: `SCREENSHOTS=docs` renews those of the docs. */
const pictures = process.env.SCREENSHOTS;

const folder = temporaryFolder(after);
let service;
let browser;
before(async () => {
  if (!skip) {
    service = await start({ DATABASE_URL: `sqlite:${folder}/clients.sqlite` });
    browser = await chromium.launch({ executablePath, args });
  }
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

/** The page, opened; `complaints` fills with what the browser has to say, `foreign` with requests to elsewhere. */
async function open(options = {}) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 900 }, ...options });
  const complaints = [];
  const foreign = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on(
    'request',
    (request) =>
      !/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(service.url) && foreign.push(request.url()),
  );
  await page.goto(`${service.url}/docs`);
  await loaded(page);
  return { page, complaints, foreign };
}

const loaded = (page) => page.getByText('Create a pet', { exact: true }).waitFor();

test('the page logs in, authorises, creates and updates a pet, all from the service itself', { skip }, async () => {
  const { page, complaints, foreign } = await open();

  /** Opens an operation, fills it in, executes it; answers status and body as the page shows them. */
  const execute = async (id, fill = async () => {}) => {
    const operation = page.locator(`[id$="-${id}"]`);
    if ((await operation.locator('.opblock-body').count()) === 0) {
      await operation.locator('.opblock-summary-control').click();
    }
    // The answer to an earlier call would be taken for this one's.
    const clear = operation.getByRole('button', { name: 'Clear' });
    if ((await clear.count()) > 0) {
      await clear.click();
    }
    await fill(operation);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const live = operation.locator('.live-responses-table .response');
    await live.waitFor();
    const status = Number((await live.locator('.response-col_status').innerText()).trim().split(/\s/)[0]);
    const body = live.locator('.response-col_description .highlight-code, .response-col_description pre').first();
    return { status, body: (await body.count()) > 0 ? await body.innerText() : '' };
  };
  const body = (json) => (operation) => operation.locator('textarea.body-param__text').fill(JSON.stringify(json));

  assert.equal(
    (await execute('createUsersWithListInput', body([{ username: 'tess', password: 'right' }]))).status,
    200,
  );
  const logIn = await execute('loginUser', async (operation) => {
    await operation.getByPlaceholder('username').fill('tess');
    await operation.getByPlaceholder('password').fill('right');
  });
  assert.equal(logIn.status, 200);
  const [token] = /pus_[\w-]{43}/.exec(logIn.body);

  const created = await execute('createPet', body({ name: 'Rex', owner_id: 'o-1' }));
  assert.equal(created.status, 201);
  const { id } = JSON.parse(/\{[^]*\}/.exec(created.body)[0]);

  const update = () => execute('updatePet', body({ id, name: 'Max', photoUrls: [], status: 'sold' }));
  assert.equal((await update()).status, 401);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.modal-ux');
  await dialog.locator('input').first().fill(token);
  await dialog
    .getByRole('button', { name: /apply credentials|authorize/i })
    .first()
    .click();
  await dialog.getByRole('button', { name: /close/i }).last().click();
  assert.equal((await update()).status, 200);

  const uploaded = await execute('uploadFile', async (operation) => {
    await operation.getByPlaceholder('petId').fill(String(id));
    await operation.locator('input[type=file]').setInputFiles(`${import.meta.dirname}/../docs/docs-page-narrow.png`);
  });
  assert.equal(uploaded.status, 200);
  const { photo } = JSON.parse(/\{[^]*\}/.exec(uploaded.body)[0]);
  const seen = await execute('getPetPhoto', async (operation) => {
    await operation.getByPlaceholder('petId').fill(String(id));
    await operation.getByPlaceholder('photoId').fill(photo.id);
  });
  assert.equal(seen.status, 200);
  const picture = page.locator('[id$="-getPetPhoto"] .live-responses-table img');
  await picture.evaluate((element) => element.decode());
  assert.equal(await picture.evaluate((element) => element.naturalWidth), photo.width);

  assert.deepEqual(foreign, []);
  // The browser itself reports the refused update.
  assert.deepEqual(
    complaints.filter((text) => !/status of 401/.test(text)),
    [],
  );
});

test('three steps lead to the first updated pet, and the token survives a reload', { skip }, async () => {
  const { page, complaints } = await open();
  const step = async (id) => {
    const form = page.locator(`#${id}`);
    await form.evaluate((element) => delete element.dataset.state);
    await form.getByRole('button').click();
    await page.locator(`#${id}[data-state]`).waitFor();
    return { state: await form.getAttribute('data-state'), text: await form.locator('output').innerText() };
  };
  assert.equal((await step('create-user')).state, 'done');
  const taken = await step('create-user');
  assert.equal(taken.state, 'failed');
  assert.match(taken.text, /409/);
  const early = await step('update-pet');
  assert.equal(early.state, 'failed');
  assert.match(early.text, /PUT \/v2\/pet: 401[^]*Step 2/);
  assert.equal((await step('log-in')).state, 'done');
  const updated = await step('update-pet');
  assert.equal(updated.state, 'done');
  const [, id] = /Pet (\d+) is sold/.exec(updated.text);
  const pet = await (await fetch(`${service.url}/v2/pet/${id}`)).json();
  assert.deepEqual([pet.name, pet.status], ['Rex', 'sold']);
  await page.reload();
  await loaded(page);
  assert.equal((await step('update-pet')).state, 'done');
  assert.deepEqual(
    complaints.filter((text) => !/status of 4(01|09)/.test(text)),
    [],
  );
  await page.close();
});

test('an operation that requires a token has a closed padlock, no other has one', { skip }, async () => {
  const { page } = await open();
  const locked = await page.locator('.opblock:has(.authorization__btn)').evaluateAll((all) => all.map(({ id }) => id));
  assert.deepEqual(locked.map((id) => id.replace(/.*-/, '')).sort(), [
    ...['deletePet', 'deletePetPhoto', 'deleteUser', 'getUserByName'],
    ...['updatePet', 'updatePetWithForm', 'updateUser', 'uploadFile'],
  ]);
  await page.locator('#steps').getByRole('link', { name: 'PUT /v2/pet' }).click();
  await page.locator('[id$="-updatePet"] .opblock-body').waitFor();
  await page.close();
});

const LOOKS = {
  'docs-page-light': { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  'docs-page-dark': { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  'docs-page-narrow': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
  'docs-page-narrow-dark': { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
};

for (const [name, look] of Object.entries(LOOKS)) {
  test(`${name}: everything can be read, and nothing stands beside the screen`, { skip }, async () => {
    const { page, complaints, foreign } = await open(look);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, look.colorScheme === 'dark' ? 'rgb(28, 32, 34)' : 'rgb(255, 255, 255)');
    if (pictures && !name.endsWith('narrow-dark')) {
      await page.screenshot({ path: `${pictures}/${name}.png` });
    }
    await page.locator('#shared summary').click();
    for (const id of ['loginUserWithBody', 'updatePet', 'getPetById', 'deleteUser']) {
      await page.locator(`[id$="-${id}"] .opblock-summary-control`).click();
    }
    await page.getByRole('button', { name: 'Execute' }).nth(3).waitFor();
    assert.deepEqual(await page.evaluate(hardToRead), []);
    const [needed, there] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(needed <= there, `the page is ${needed} wide on a screen of ${there}`);
    assert.deepEqual([complaints, foreign], [[], []]);
    await page.close();
  });
}

/** Runs in the page: texts whose contrast to their ground is below 4.5 (WCAG 2.2, 1.4.3). */
function hardToRead() {
  const colour = (text) => {
    const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
    return [red, green, blue, alpha];
  };
  const over = ([red, green, blue, alpha], below) =>
    [red, green, blue].map((part, index) => part * alpha + below[index] * (1 - alpha));
  const luminance = (parts) => {
    const [red, green, blue] = parts.map((part) =>
      part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundOf = (element) => {
    const own = colour(getComputedStyle(element).backgroundColor);
    const below = own[3] === 1 ? [] : element.parentElement ? groundOf(element.parentElement) : [255, 255, 255];
    return over(own, below.length > 0 ? below : own);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (texts.nextNode()) {
    const { data, parentElement: element } = texts.currentNode;
    const shown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (data.trim() !== '' && shown && !element.closest('script, option, [disabled]')) {
      const ground = groundOf(element);
      const [light, dark] = [over(colour(getComputedStyle(element).color), ground), ground]
        .map(luminance)
        .sort((a, b) => b - a);
      const contrast = (light + 0.05) / (dark + 0.05);
      if (contrast < 4.5) {
        found.add(`${element.tagName}.${element.className} "${data.trim().slice(0, 20)}": ${contrast.toFixed(2)}`);
      }
    }
  }
  return [...found];
}

// Opens /docs in a browser and does by clicking what a developer would try first.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { start, temporaryFolder } from '../test/support/built-service.mjs';

const executablePath = process.env.BROWSER_PATH ?? '/usr/bin/chromium';
const skip = existsSync(executablePath) ? false : `there is no browser at ${executablePath}`;
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

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

test('the page logs in, authorises, creates and updates a pet, all from the service itself', { skip }, async () => {
  const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
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
  await page.getByText('Create a pet', { exact: true }).waitFor();
  if (process.env.SCREENSHOT) {
    await page.screenshot({ path: process.env.SCREENSHOT });
  }

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

  assert.equal((await execute('createUsersWithList', body([{ username: 'tess', password: 'right' }]))).status, 200);
  const logIn = await execute('logIn', async (operation) => {
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

  assert.deepEqual(foreign, []);
  // The browser itself reports the refused update.
  assert.deepEqual(
    complaints.filter((text) => !/status of 401/.test(text)),
    [],
  );
});

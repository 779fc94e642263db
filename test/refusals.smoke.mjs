// Whoever is refused for a credential is seen in the log: from which network, for which account or why, never the secret.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { generateKeyPair, SignJWT } from 'jose';
import { start, temporaryFolder } from './support/built-service.mjs';

const DATABASE_URL = `sqlite:${temporaryFolder(after)}/pets.sqlite`;
const AUDIENCE = 'https://pets.example';

const issuer = createServer((req, res) => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (issuer.address());
  const url = `http://127.0.0.1:${port}`;
  res.end(JSON.stringify(req.url === '/keys' ? { keys: [] } : { issuer: url, jwks_uri: `${url}/keys` }));
});
await new Promise((listening) => issuer.listen(0, '127.0.0.1', () => listening(undefined)));
after(() => issuer.close());
const OAUTH_ISSUER = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (issuer.address()).port}`;

test('the log says who guesses and which tokens are refused, and once that a proxy is not believed', async () => {
  const server = await start({ DATABASE_URL, OAUTH_ISSUER, OAUTH_AUDIENCE: AUDIENCE, LOGIN_FAILURES_PER_ACCOUNT: '1' });
  const logIn = () => fetch(`${server.url}/v2/user/login?username=tess&password=secret-guess`);
  assert.equal((await logIn()).status, 401);
  assert.equal((await logIn()).status, 429);
  const { privateKey } = await generateKeyPair('ES256');
  const token = await new SignJWT({ iss: OAUTH_ISSUER, aud: AUDIENCE, sub: 's' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'nobodys' })
    .setExpirationTime('1h')
    .sign(privateKey);
  for (const wrong of [token, 'an-opaque-token']) {
    const headers = { Authorization: `Bearer ${wrong}`, 'X-Forwarded-For': '198.51.100.7' };
    const answer = await fetch(`${server.url}/v2/user/tess`, { headers });
    assert.equal(answer.status, 401);
    assert.doesNotMatch(await answer.text(), /applicable|Compact/);
  }
  await server.stop();
  const account = createHash('sha256').update('tess').digest('hex');
  const refused = server.lines().filter(({ msg, status }) => msg === 'request' && [401, 429].includes(status));
  assert.deepEqual(
    refused.map(({ status, network, account, reason }) => ({ status, network, account, reason })),
    [
      { status: 401, network: '127.0.0.1', account, reason: undefined },
      { status: 429, network: '127.0.0.1', account, reason: undefined },
      {
        status: 401,
        network: '127.0.0.1',
        account: undefined,
        reason: 'no applicable key found in the JSON Web Key Set',
      },
      { status: 401, network: '127.0.0.1', account: undefined, reason: 'Invalid Compact JWS' },
    ],
  );
  assert.equal(server.log().match(/TRUSTED_PROXIES/g)?.length, 1);
  assert.doesNotMatch(server.log(), /secret-guess|an-opaque-token|"tess"/);
});

test('check-config shows both spellings of an issuer that calls itself otherwise', async () => {
  const env = { PATH: process.env.PATH, OAUTH_ISSUER: `${OAUTH_ISSUER}/`, OAUTH_AUDIENCE: AUDIENCE };
  const run = promisify(execFile)(process.execPath, ['dist/main.js', 'check-config'], { env });
  await assert.rejects(run, ({ code, stderr }) => {
    assert.equal(code, 1);
    assert.equal(stderr, `OAUTH_ISSUER is "${OAUTH_ISSUER}/", but the metadata there says "${OAUTH_ISSUER}"\n`);
    return true;
  });
});

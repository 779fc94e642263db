import { Logger } from '@nestjs/common';
import { exportJWK, generateKeyPair } from 'jose';
import { AUDIENCE, Issuer } from './support/issuer';
import { accessPolicy, exampleRequests, type ExampleRequest } from './support/example-requests';
import { startApp, tokenFor, type RunningApp } from './support/start-app';

const MINUTE = 60_000;
const CHALLENGE = 'Bearer realm="pet-user-service"';

let issuer: Issuer;
let running: RunningApp;

const start = (settings: Record<string, string> = {}) =>
  startApp({ OAUTH_ISSUER: issuer.url, OAUTH_AUDIENCE: AUDIENCE, ...settings });

/** 404 means let in: no pet has this id. */
const update = (token: string, { http } = running) =>
  http.put('/v2/pet').set('Authorization', `Bearer ${token}`).send({ id: 1, name: 'x', photoUrls: [] });

/** The key cache of the service goes by the process's own clock. */
const passTime = (ms: number) => {
  const now = Date.now() + ms;
  jest.spyOn(Date, 'now').mockImplementation(() => now);
};

const begin = async () => {
  issuer = new Issuer();
  await issuer.start();
  running = await start();
};
const end = async () => {
  jest.restoreAllMocks();
  await running.stop();
  await issuer.stop();
};

const now = () => Math.floor(Date.now() / 1_000);
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

describe('the service', () => {
  beforeAll(begin);
  afterAll(end);

  it.each<[string, () => Promise<string>]>([
    [
      'without a signature (alg none)',
      async () => {
        const [, claims] = (await issuer.token()).split('.');
        return `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.`;
      },
    ],
    [
      'signed by HMAC with the public key as its secret',
      async () => issuer.token({ header: { alg: 'HS256' }, key: new TextEncoder().encode(await issuer.publicKeyPem) }),
    ],
    [
      "signed with another issuer's key",
      async () => issuer.token({ key: (await generateKeyPair('ES256')).privateKey }),
    ],
    ['that names a key nobody published', () => issuer.token({ header: { kid: 'unknown' } })],
    [
      'whose claims were changed afterwards',
      async () => {
        const [header, , signature] = (await issuer.token()).split('.');
        return `${header}.${encode({ iss: issuer.url, aud: AUDIENCE, sub: 'admin', exp: now() + 60 })}.${signature}`;
      },
    ],
    ['for another audience', () => issuer.token({ claims: { aud: 'https://other.example' } })],
    ['for no audience', () => issuer.token({ claims: { aud: undefined } })],
    ['of another issuer', () => issuer.token({ claims: { iss: 'https://other.example' } })],
    ['that has expired', () => issuer.token({ claims: { exp: now() - 31 } })],
    ['that never expires', () => issuer.token({ claims: { exp: undefined } })],
    ['that is not valid yet', () => issuer.token({ claims: { nbf: now() + 60 } })],
    ['that is no access token but an ID token', () => issuer.token({ header: { typ: 'JWT' } })],
    ['without a type', () => issuer.token({ header: { typ: undefined } })],
    ['without a subject', () => issuer.token({ claims: { sub: undefined } })],
    ['whose subject is no text', () => issuer.token({ claims: { sub: 42 as unknown as string } })],
    ['that is no token at all', () => Promise.resolve('x.y.z')],
  ])('refuses a token %s', async (_, token) => {
    const { headers, body } = await update(await token()).expect(401);
    expect(headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`);
    expect(body.type).toBe('/problems/unauthorized');
  });
});

describe('with an issuer that has just begun, the service', () => {
  beforeEach(begin);
  afterEach(end);

  it("takes the issuer's access tokens beside our own", async () => {
    await update(await issuer.token()).expect(404);
    await update(await issuer.token({ header: { typ: 'application/at+jwt' } })).expect(404);
    await update(await issuer.token({ claims: { aud: ['other', AUDIENCE] } })).expect(404);
    await update(await tokenFor(running)).expect(404);
  });

  it('asks for the keys once, not for each token', async () => {
    for (let n = 0; n < 5; n++) {
      await update(await issuer.token()).expect(404);
    }
    expect(issuer.asked).toBe(2); // metadata and keys
  });

  it('tries each key that fits, where a token names none or two have one name', async () => {
    const other = { ...(await exportJWK((await generateKeyPair('ES256')).publicKey)), use: 'sig', alg: 'ES256' };
    issuer.further = [{ ...other, kid: 'key-1' }, other];
    await update(await issuer.token({ header: { kid: undefined } })).expect(404);
    await update(await issuer.token({ header: { kid: 'key-1' } })).expect(404);
    const { privateKey } = await generateKeyPair('ES256');
    await update(await issuer.token({ header: { kid: undefined }, key: privateKey })).expect(401);
    await update(await issuer.token({ header: { kid: undefined }, claims: { exp: now() - 31 } })).expect(401);
  });

  it('reads no more of the keys than a megabyte', async () => {
    issuer.insteadOfKeys = `{"keys":[],"x":"${'x'.repeat(1_048_576)}"}`;
    await update(await issuer.token()).expect(503);
    issuer.insteadOfKeys = undefined;
    await update(await issuer.token()).expect(404);
  });

  it('allows half a minute between its clock and that of the issuer', async () => {
    await update(await issuer.token({ claims: { exp: now() - 20, nbf: now() + 20 } })).expect(404);
  });

  it('takes a new key without a restart', async () => {
    const old = await issuer.token();
    await update(old).expect(404);
    await issuer.rotate();
    passTime(MINUTE);
    await update(await issuer.token()).expect(404);
    await update(old).expect(401);
  });

  it('forgets within ten minutes a key that its issuer withdrew', async () => {
    const old = await issuer.token();
    await update(old).expect(404);
    await issuer.rotate();
    passTime(9 * MINUTE);
    await update(old).expect(404);
    passTime(2 * MINUTE);
    await update(old).expect(401);
  });

  it('works on while the issuer is away, answers 503 once its keys are too old, and recovers by itself', async () => {
    const token = await issuer.token();
    await update(token).expect(404);
    await issuer.stop();
    passTime(9 * MINUTE);
    await update(token).expect(404);
    passTime(2 * MINUTE);
    const { headers, body } = await update(token).expect(503);
    expect(headers['retry-after']).toBe('5');
    expect(body.type).toBe('/problems/issuer-unavailable');
    await update(await tokenFor(running)).expect(404);
    await issuer.start(Number(new URL(issuer.url).port));
    await update(token).expect(404);
  });

  it('answers 503 when the issuer was never there, and lets nobody in', async () => {
    const token = await issuer.token();
    await issuer.stop();
    await update(token).expect(503);
    await update('x.y.z').expect(401);
    await issuer.start(Number(new URL(issuer.url).port));
    await update(token).expect(404);
  });

  it('answers 403 to a token without a scope that the operator asks for', async () => {
    const strict = await start({ OAUTH_SCOPE: 'pets:write pets:read' });
    await update(await issuer.token({ claims: { scope: 'a pets:read pets:write' } }), strict).expect(404);
    for (const scope of [undefined, '', 'pets:write', 'pets:writer pets:read', ['pets:write', 'pets:read']]) {
      const { headers, body } = await update(await issuer.token({ claims: { scope } }), strict).expect(403);
      expect(headers['www-authenticate']).toBe(
        `${CHALLENGE}, error="insufficient_scope", scope="pets:write pets:read"`,
      );
      expect(body.type).toBe('/problems/insufficient-scope');
    }
    await update(await tokenFor(strict), strict).expect(404);
    await strict.stop();
  });

  it('holds for every operation that takes a token', async () => {
    const settings = { ...accessPolicy('token'), OAUTH_SCOPE: 'write' };
    const call = async ({ method, path, body, contentType }: ExampleRequest, scope: string, app: RunningApp) => {
      const authorization = `Bearer ${await issuer.token({ claims: { scope } })}`;
      const headers = { Authorization: authorization, ...(contentType && { 'Content-Type': contentType }) };
      const answer = await fetch(app.url + path, { method, headers, body });
      return `${answer.status} ${await answer.text()}`;
    };
    const operations = exampleRequests.filter(({ token }) => token);
    const guarded = await start(settings);
    for (const operation of operations) {
      // To operations on oneself it is good, and of nobody here.
      expect(await call(operation, 'write', guarded)).toMatch(/^(20[01] |404 |409 |403 .*not-that-user)/);
      expect(await call(operation, 'read', guarded)).toMatch(/^403 .*insufficient-scope/);
    }
    await guarded.stop();
    await issuer.stop();
    const late = await start(settings);
    for (const operation of operations) {
      expect(await call(operation, 'write', late)).toMatch(/^503 /);
    }
    await late.stop();
    await issuer.start();
  });

  it('finds the keys by RFC 8414, or where the operator says, and reads RS256, which RFC 9068 requires', async () => {
    const other = new Issuer('/.well-known/oauth-authorization-server', 'RS256');
    await other.start();
    for (const keys of ['', `${other.url}/keys`]) {
      const app = await start({ OAUTH_ISSUER: other.url, OAUTH_JWKS_URL: keys });
      await update(await other.token(), app).expect(404);
      await app.stop();
    }
    await other.stop();
  });

  it('believes no metadata that names another issuer, and says so at the start with both spellings', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn');
    const app = await start({ OAUTH_ISSUER: `${issuer.url}/` });
    await update(await issuer.token({ claims: { iss: `${issuer.url}/` } }), app).expect(503);
    expect(warn).toHaveBeenCalledWith(`OAUTH_ISSUER is "${issuer.url}/", but the metadata there says "${issuer.url}"`);
    await app.stop();
  });

  it('takes no token from elsewhere unless an issuer is set', async () => {
    const alone = await startApp();
    await update(await issuer.token(), alone).expect(401);
    await alone.stop();
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** How a token differs from a good one. */
export interface Oddity {
  claims?: JWTPayload;
  header?: Record<string, unknown>;
  key?: KeyPair['privateKey'] | Uint8Array;
}

export const AUDIENCE = 'https://pets.example';

/** An OAuth 2.0 issuer on loopback: metadata, published keys, signed access tokens (RFC 9068). */
export class Issuer {
  url: string;
  asked = 0;
  /** What it publishes beside its newest key, and what it says when asked for keys instead. */
  further: JWK[] = [];
  insteadOfKeys?: string;
  private server: Server;
  private keys: KeyPair;
  private jwk: JWK;
  private number = 0;

  constructor(
    private readonly metadataPath = '/.well-known/openid-configuration',
    /** Keys for ES256 are made in no time, and RFC 9068 requires RS256. */
    private readonly alg: 'ES256' | 'RS256' = 'ES256',
  ) {}

  async start(port = 0): Promise<void> {
    this.server = createServer((req, res) => {
      const answers: Record<string, unknown> = {
        [this.metadataPath]: { issuer: this.url, jwks_uri: `${this.url}/keys` },
        '/keys': { keys: [...this.further, this.jwk] },
      };
      this.asked += 1;
      const answer = answers[req.url!];
      res
        .writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' })
        .end((req.url === '/keys' && this.insteadOfKeys) || JSON.stringify(answer ?? {}));
    });
    await new Promise<void>((listening) => this.server.listen(port, '127.0.0.1', listening));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    if (!this.jwk) {
      await this.rotate();
    }
  }

  /** Signs with a new key from now on, and publishes no other. */
  async rotate(): Promise<void> {
    this.keys = await generateKeyPair(this.alg);
    this.jwk = {
      ...(await exportJWK(this.keys.publicKey)),
      kid: `key-${(this.number += 1)}`,
      use: 'sig',
      alg: this.alg,
    };
  }

  get publicKeyPem(): Promise<string> {
    return exportSPKI(this.keys.publicKey);
  }

  /** A good token, but for `claims`, `header` and `key`; a claim that is `undefined` is left out. */
  token({ claims, header, key }: Oddity = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const good = { iss: this.url, aud: AUDIENCE, sub: 'someone', client_id: 'c', jti: 'j', iat: now, exp: now + 3_600 };
    return new SignJWT({ ...good, ...claims })
      .setProtectedHeader({ alg: this.alg, typ: 'at+jwt', kid: this.jwk.kid, ...header })
      .sign(key ?? this.keys.privateKey);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}

import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { Clock } from '../common/clock';
import type { Config } from '../config';
import { InsufficientScope, IssuerUnavailable } from './auth.problems';
import { discoverKeys } from './issuer-metadata';
import type { Caller } from './caller';
import type { TokenVerifier } from './token-verifier';

/** Signatures with the issuer's private key only; never `none`, never HMAC with a public key as its secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const CLOCK_SKEW_SECONDS = 30;

/**
 * JWT access tokens from an issuer elsewhere (RFC 9068). Its keys are fetched when first needed, kept for ten minutes,
 * and fetched anew, at most twice a minute, for a token whose key is not among them.
 * Throws InsufficientScope, and IssuerUnavailable where no key can be had: never lets in what it cannot check.
 */
export class JwtVerifier implements TokenVerifier {
  private keys?: Promise<JWTVerifyGetKey>;

  constructor(
    private readonly oauth: NonNullable<Config['oauth']>,
    private readonly clock: Clock,
  ) {}

  async verify(token: string): Promise<Caller | null> {
    const claims = await this.claimsOf(token);
    if (claims === null) {
      return null;
    }
    const granted = typeof claims.scope === 'string' ? claims.scope.split(' ') : [];
    if (!this.oauth.scopes.every((scope) => granted.includes(scope))) {
      throw new InsufficientScope(this.oauth.scopes);
    }
    return { issuer: this.oauth.issuer, subject: claims.sub! };
  }

  private async claimsOf(token: string): Promise<JWTPayload | null> {
    try {
      const { payload } = await jwtVerify(token, this.findKey, {
        algorithms: ALGORITHMS,
        typ: 'at+jwt',
        issuer: this.oauth.issuer,
        audience: this.oauth.audience,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: new Date(this.clock.now()),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) {
        return null;
      }
      throw error;
    }
  }

  private readonly findKey: JWTVerifyGetKey = async (header, token) => {
    try {
      const keys = await (this.keys ??= this.openKeys());
      return await keys(header, token);
    } catch (error) {
      // Whose fault it is: a token may name a key that does not exist; all else went wrong at the issuer.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
        throw error;
      }
      throw new IssuerUnavailable(error);
    }
  };

  private async openKeys(): Promise<JWTVerifyGetKey> {
    try {
      return createRemoteJWKSet(this.oauth.jwksUrl ?? (await discoverKeys(this.oauth.issuer)));
    } catch (error) {
      this.keys = undefined; // asked again at the next token
      throw error;
    }
  }
}

import { Logger } from '@nestjs/common';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import type { Clock } from '../platform/common/clock';
import type { Config } from '../platform/config';
import { InsufficientScope, InvalidToken, IssuerUnavailable } from './auth.problems';
import { discoverKeys, fetchOfIssuer } from './issuer-metadata';
import type { Caller } from '../platform/http';
import type { TokenVerifier } from './token-verifier';

/** Signatures with the issuer's private key only; never `none`, never HMAC with a public key as its secret. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_SKEW_SECONDS = 30;

/**
 * JWT access tokens from an issuer elsewhere (RFC 9068). Its keys are fetched when first needed, kept for ten minutes,
 * and fetched anew, at most twice a minute, for a token whose key is not among them. It is asked at the start where
 * they are, so that a wrong setting is seen then.
 * Throws InvalidToken, whose reason only the log is told, InsufficientScope, and IssuerUnavailable where no key can be
 * had: never lets in what it cannot check.
 */
export class JwtVerifier implements TokenVerifier {
  private keys?: Promise<JWTVerifyGetKey>;

  constructor(
    private readonly oauth: NonNullable<Config['oauth']>,
    private readonly clock: Clock,
  ) {
    this.keys = this.openKeys();
    this.keys.catch(({ message }: Error) => new Logger('OAuth').warn(message));
  }

  async verify(token: string): Promise<Caller> {
    const claims = await this.claimsOf(token);
    if (typeof claims.sub !== 'string' || claims.sub === '') {
      throw new InvalidToken('its sub is no text');
    }
    const granted = typeof claims.scope === 'string' ? claims.scope.split(' ') : [];
    if (!this.oauth.scopes.every((scope) => granted.includes(scope))) {
      throw new InsufficientScope(this.oauth.scopes);
    }
    return { issuer: this.oauth.issuer, subject: claims.sub };
  }

  private async claimsOf(token: string): Promise<JWTPayload> {
    const options: JWTVerifyOptions = {
      algorithms: ALGORITHMS,
      typ: 'at+jwt',
      issuer: this.oauth.issuer,
      audience: this.oauth.audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: new Date(this.clock.now()),
    };
    try {
      return await verifyByAny(token, this.findKey, options);
    } catch (error) {
      throw error instanceof errors.JOSEError ? new InvalidToken(error.message) : error;
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
      const url = this.oauth.jwksUrl ?? (await discoverKeys(this.oauth.issuer));
      return createRemoteJWKSet(url, { [customFetch]: fetchOfIssuer });
    } catch (error) {
      this.keys = undefined; // asked again at the next token
      throw error;
    }
  }
}

/** A token need not say which key it was signed with, and keys may share a name: then each that fits is tried. */
async function verifyByAny(token: string, findKey: JWTVerifyGetKey, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, findKey, options)).payload;
  } catch (several) {
    if (!(several instanceof errors.JWKSMultipleMatchingKeys)) {
      throw several;
    }
    for await (const key of several) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) {
          throw error;
        }
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

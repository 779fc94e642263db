import type { Caller } from '../platform/http';

/** Tells whose a bearer token is. */
export abstract class TokenVerifier {
  /** Null for a token that is unknown, expired or ended. Throws a Problem that says more. */
  abstract verify(token: string): Promise<Caller | null>;
}

/** The answer of the first verifier that knows the token. */
export function firstOf(...verifiers: TokenVerifier[]): TokenVerifier {
  return {
    async verify(token) {
      for (const verifier of verifiers) {
        const caller = await verifier.verify(token);
        if (caller) {
          return caller;
        }
      }
      return null;
    },
  };
}

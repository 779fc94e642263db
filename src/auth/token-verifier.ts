import type { Caller } from './caller';

/** Tells whose a bearer token is. */
export abstract class TokenVerifier {
  /** Null for a token that is unknown, expired, ended or not for us. Throws a Problem where no answer can be given. */
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

import { isSafeUrl } from '../common/safe-url';

const TIMEOUT_MS = 5_000;

/**
 * Where an issuer publishes its keys: the `jwks_uri` of its metadata (OpenID Connect Discovery, RFC 8414).
 * Throws where there is no metadata, or it is not this issuer's own.
 */
export async function discoverKeys(issuer: string): Promise<URL> {
  for (const url of metadataUrls(issuer)) {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.ok) {
      return keysIn(await answer.json(), issuer);
    }
  }
  throw new Error(`${issuer} publishes no metadata`);
}

/** OpenID Connect puts the well-known part behind the issuer's path, RFC 8414 before it. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

function keysIn(metadata: unknown, issuer: string): URL {
  const { issuer: own, jwks_uri: keys } = metadata as Record<string, unknown>;
  if (own !== issuer || typeof keys !== 'string' || !isSafeUrl(keys)) {
    throw new Error(`The metadata of ${issuer} is not its own, or names no safe address of its keys`);
  }
  return new URL(keys);
}

import { isSafeUrl } from '../platform/common/safe-url';

const TIMEOUT_MS = 5_000;
/** Metadata and keys are some kilobytes; more is a mistake, or meant to fill the memory. */
const MAX_BYTES = 1_048_576;

/** The metadata at the issuer's address names another issuer: usually the same with or without a slash at its end. */
export class WrongIssuer extends Error {}

/**
 * Where an issuer publishes its keys: the `jwks_uri` of its metadata (OpenID Connect Discovery, RFC 8414).
 * Throws WrongIssuer, and an Error where there is no metadata, or it names no safe address.
 */
export async function discoverKeys(issuer: string): Promise<URL> {
  for (const url of metadataUrls(issuer)) {
    const answer = await fetchOfIssuer(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.ok) {
      return keysIn(await answer.json(), issuer);
    }
  }
  throw new Error(`${issuer} publishes no metadata`);
}

/** As `fetch`, of an answer that ends. */
export async function fetchOfIssuer(url: string | URL, options: RequestInit): Promise<Response> {
  const { body, ok, status } = await fetch(url, options);
  if (!ok) {
    await body?.cancel();
    return new Response(null, { status });
  }
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) {
      throw new Error(`${String(url)} answers more than ${MAX_BYTES} bytes`);
    }
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { status });
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
  if (own !== issuer) {
    throw new WrongIssuer(
      `OAUTH_ISSUER is ${JSON.stringify(issuer)}, but the metadata there says ${JSON.stringify(own)}`,
    );
  }
  if (typeof keys !== 'string' || !isSafeUrl(keys)) {
    throw new Error(`The metadata of ${issuer} names no safe address of its keys`);
  }
  return new URL(keys);
}

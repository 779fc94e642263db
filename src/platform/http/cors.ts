import type { IncomingMessage } from 'node:http';

/** What a page of another origin may read of an answer, beside the headers that CORS always shows. */
const EXPOSED_HEADERS =
  'Accept, Accept-Encoding, Accept-Post, Allow, Content-Disposition, Content-Location, ETag, Idempotency-Replayed, ' +
  'Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Expires-After, X-Request-Id';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const PREFLIGHT_MAX_AGE_SECONDS = '7200';

/** What CORS reads of a request. */
export type CorsRequest = Pick<IncomingMessage, 'method' | 'headers'>;

/**
 * The headers of every answer, refusals too, that let the pages of these origins call the service (Fetch Standard,
 * 3.2); none without origins. A preflight may ask for any header: those of tracing have many names. The token goes in a
 * header, so cookies are not allowed. A preflight is answered as any OPTIONS, with Allow.
 */
export function corsHeaders(origins: string[]): (req: CorsRequest) => Record<string, string> {
  const anyone = origins.includes('*');
  return ({ method, headers }) => {
    if (origins.length === 0) {
      return {};
    }
    const vary: Record<string, string> = anyone ? {} : { Vary: 'Origin' };
    const { origin } = headers;
    if (origin === undefined || !(anyone || origins.includes(origin))) {
      return vary;
    }
    const allowed = { ...vary, 'Access-Control-Allow-Origin': anyone ? '*' : origin };
    return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
      ? { ...allowed, ...preflight(headers['access-control-request-headers'], vary) }
      : { ...allowed, 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
  };
}

function preflight(names: string | undefined, { Vary }: Record<string, string>): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Max-Age': PREFLIGHT_MAX_AGE_SECONDS,
    Vary: [Vary, 'Access-Control-Request-Headers'].filter(Boolean).join(', '),
    ...(names === undefined ? {} : { 'Access-Control-Allow-Headers': names }),
  };
}

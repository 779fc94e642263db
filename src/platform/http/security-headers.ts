import type { Config } from '../config';
import { corsHeaders, type CorsRequest } from './cors';

/**
 * What every answer carries, refusals too: what OWASP's REST Security cheat sheet asks of an API, and CORS. What a web
 * page needs is set by the one page there is.
 */
export function commonHeaders({
  corsOrigins,
  hstsSeconds,
}: Pick<Config, 'corsOrigins' | 'hstsSeconds'>): (req: CorsRequest) => Record<string, string> {
  const corsFor = corsHeaders(corsOrigins);
  const security = {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    ...(hstsSeconds !== undefined && { 'Strict-Transport-Security': `max-age=${hstsSeconds}` }),
  };
  return (req) => ({ ...security, ...corsFor(req) });
}

import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';

/** What a page of another origin may read of an answer, beside the headers that CORS always shows. */
export const EXPOSED_HEADERS = [
  'Allow',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Expires-After',
  'X-Request-Id',
];

/**
 * Lets the pages of these origins call the service (Fetch Standard, CORS); with none it does nothing.
 * The token goes in a header, so cookies stay out of it. OPTIONS goes on to be answered with Allow.
 */
export function cors(origins: string[]): RequestHandler {
  return corsMiddleware({
    origin: origins.length === 0 ? false : origins.includes('*') ? '*' : origins,
    methods: ['GET', 'POST', 'PUT'],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 7_200,
    preflightContinue: true,
  });
}

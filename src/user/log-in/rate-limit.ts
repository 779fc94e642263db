/** How much of an allowance is left to somebody. */
export interface Quota {
  name: string;
  allowed: number;
  windowSeconds: number;
  left: number;
  /** No more than what is left may be used for so long. */
  secondsLeft: number;
}

/** The header fields of draft-ietf-httpapi-ratelimit-headers-11. */
export const rateLimitHeaders = (quotas: Quota[]): Record<string, string> => ({
  'RateLimit-Policy': quotas
    .map(({ name, allowed, windowSeconds }) => `"${name}";q=${allowed};w=${windowSeconds}`)
    .join(', '),
  RateLimit: quotas.map(({ name, left, secondsLeft }) => `"${name}";r=${left};t=${secondsLeft}`).join(', '),
});

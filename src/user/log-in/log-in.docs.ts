const token = 'pus_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const tokenContent = { schema: { type: 'string', pattern: '^pus_[A-Za-z0-9_-]{43}$' }, example: token } as const;
const cookie = (example: string) => ({ required: true, schema: { type: 'string' }, example }) as const;
const noStore = { required: true, schema: { type: 'string', pattern: '^no-store$' } } as const;

/** What the OpenAPI document says of the log-in and log-out beyond what their decorators and rules say. */
export const logInContent = { 'application/json': tokenContent, 'text/plain': tokenContent };

const items = (example: string) => ({ required: true, schema: { type: 'string', pattern: '^"' }, example }) as const;

/** Failed log-ins that are still allowed; the draft's names for them. */
export const rateLimitHeaders = {
  'RateLimit-Policy': {
    description:
      'How many log-ins may fail (draft-ietf-httpapi-ratelimit-headers): for the account and the address, or for the ' +
      'device where one is known. Of two limits on one of them, as for an IPv6 /64 and /48, the one that leaves less',
    ...items('"account";q=5;w=3600, "address";q=50;w=3600'),
  },
  RateLimit: {
    description: 'How many may still fail; where none, `t` says for how many seconds',
    ...items('"account";r=4;t=3600, "address";r=49;t=3600'),
  },
} as const;

export const logInHeaders = {
  ...rateLimitHeaders,
  'X-Expires-After': {
    description: 'When the session ends at the latest',
    required: true,
    schema: { type: 'string', format: 'date-time' },
  },
  'Set-Cookie': {
    description:
      'Two cookies: `session`, the same token, which log out reads and nothing else; and `device`, which opens nothing, ' +
      'but keeps failed log-ins elsewhere from holding up the user on this device. Both with the same attributes.',
    ...cookie(`session=${token}; Path=/v2/user; HttpOnly; SameSite=Strict`),
  },
  'Cache-Control': noStore,
} as const;

export const logOutHeaders = {
  'Set-Cookie': { description: 'Clears the session cookie', ...cookie('session=; Path=/v2/user; HttpOnly') },
  'Cache-Control': noStore,
} as const;

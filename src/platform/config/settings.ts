import { databaseAddress } from './database-address';
import { choice, host, hours, integer, minutes, offOr, origins, publicUrl, safeUrl, scopes, text } from './kinds';
import { setting } from './setting';

const policy = choice('open', 'token', 'closed');

/**
 * Every variable that an operator can set, under the name that the program has for its value.
 * docs/settings.md and .env.example are checked against this table, in this order.
 */
export const SETTINGS = {
  host: setting('HOST', host('127.0.0.1'), 'Address to listen on; `0.0.0.0` for all'),
  port: setting('PORT', integer(3_000, 0, 65_535), 'Port to listen on; 0 takes a free one'),
  /** Addresses in answers begin with it. */
  publicUrl: setting(
    'PUBLIC_URL',
    publicUrl,
    'Where clients find the service, as in `https://pets.example/api`; answers have absolute paths when empty',
  ),
  processes: setting(
    'WEB_CONCURRENCY',
    integer(1, 1, 256),
    'Processes on this machine; more than one takes PostgreSQL',
  ),
  database: setting(
    'DATABASE_URL',
    databaseAddress('sqlite:data/pet-user-service.sqlite'),
    'A SQLite file, as in `sqlite:/var/lib/pets.sqlite`, or `postgres://user:password@host:port/database`',
  ),
  sqlite: {
    synchronous: setting(
      'SQLITE_SYNCHRONOUS',
      choice('FULL', 'NORMAL'),
      '`NORMAL` is faster, and may lose the last moments in a power cut',
    ),
  },
  postgres: {
    poolSize: setting('POSTGRES_POOL_SIZE', integer(10, 1, 1_000), 'Most connections of one process to PostgreSQL'),
    connectMs: setting('POSTGRES_CONNECT_TIMEOUT_MS', integer(2_000, 1, 600_000), 'Longest wait for a connection'),
    statementMs: setting(
      'POSTGRES_STATEMENT_TIMEOUT_MS',
      integer(10_000, 2, 600_000),
      'Longest run of one statement; a lock is waited for half as long',
    ),
    tls: {
      mode: setting(
        'POSTGRES_TLS',
        choice('disable', 'require', 'verify-full'),
        'TLS as libpq names it: `require` encrypts, `verify-full` also checks the certificate',
      ),
      ca: setting(
        'POSTGRES_TLS_CA',
        text,
        'Certificate in PEM of the authority to trust; without it those that Node.js knows',
      ),
    },
  },
  corsOrigins: setting(
    'CORS_ORIGINS',
    origins,
    'Origins whose pages may call, as in `https://a.example https://b.example`, or `*` for all',
  ),
  /** Undefined where TLS is not ours to promise. */
  hstsSeconds: setting(
    'HSTS_MAX_AGE_SECONDS',
    offOr(0, 63_072_000),
    'Every path of this host is served over TLS, and browsers shall ask for it by `https` alone this long',
  ),
  bodyLimit: setting('BODY_LIMIT_BYTES', integer(1_048_576, 1_024, 104_857_600), 'Largest request body'),
  photoLimit: setting('PHOTO_LIMIT_BYTES', integer(5_242_880, 1_024, 104_857_600), 'Largest photo, as it is uploaded'),
  bulkLimit: setting('BULK_LIMIT', integer(1_000, 1, 10_000), 'Most users in one bulk creation'),
  /** By what `access` of an @Endpoint calls the operations. */
  accessPolicy: {
    petCreation: setting(
      'PET_CREATION',
      policy,
      'Who may create pets: `open` to anyone, `token` for bearers of a token, or `closed`',
    ),
    petReading: setting('PET_READING', policy, 'Who may read pets: `open`, `token` or `closed`'),
    userCreation: setting('USER_CREATION', policy, 'Who may create users: `open`, `token` or `closed`'),
  },
  argon2: {
    memoryKiB: setting('ARGON2_MEMORY_KIB', integer(19_456, 8, 262_144), 'Memory of one password hash'),
    timeCost: setting('ARGON2_TIME_COST', integer(2, 1, 16), 'Passes of one password hash'),
  },
  hashQueueLimit: setting(
    'HASH_QUEUE_LIMIT',
    integer(10_000, 50, 1_000_000),
    'Most passwords of new users under way, and a fiftieth as many log-ins, half of them from one network',
  ),
  session: {
    maxAgeMs: setting('SESSION_MAX_AGE_MINUTES', minutes(1_440, 1, 525_600), 'A session ends this long after log-in'),
    maxIdleMs: setting('SESSION_MAX_IDLE_MINUTES', minutes(60, 1, 525_600), 'A session ends when unused this long'),
    perUser: setting('SESSIONS_PER_USER', integer(20, 1, 1_000), 'Sessions side by side; the oldest goes'),
  },
  loginFailures: {
    perAccount: setting(
      'LOGIN_FAILURES_PER_ACCOUNT',
      integer(5, 1, 1_000_000),
      'Failed log-ins before an account has to wait',
    ),
    perAddress: setting(
      'LOGIN_FAILURES_PER_ADDRESS',
      integer(50, 1, 1_000_000),
      'Failed log-ins before an address has to wait',
    ),
  },
  oauth: {
    issuer: setting(
      'OAUTH_ISSUER',
      safeUrl,
      'Issuer elsewhere whose JWT access tokens are taken beside our own; none when empty',
    ),
    audience: setting('OAUTH_AUDIENCE', text, 'What those tokens must be issued for; required with an issuer'),
    scopes: setting('OAUTH_SCOPE', scopes, 'Scopes those tokens must have, separated by spaces; any when empty'),
    jwksUrl: setting('OAUTH_JWKS_URL', safeUrl, "Where the issuer's keys are; found in its metadata when empty"),
  },
  idempotencyMaxAgeMs: setting(
    'IDEMPOTENCY_MAX_AGE_HOURS',
    hours(24, 1, 720),
    'An answer is kept this long for repeats under its Idempotency-Key',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    integer(0, 0, 10),
    'Proxies in front whose `X-Forwarded-*` headers are believed',
  ),
  connections: {
    max: setting(
      'MAX_CONNECTIONS',
      integer(4_096, 1, 1_000_000),
      'Most connections; when all are taken, one without a request gives way',
    ),
    requestTimeoutMs: setting(
      'REQUEST_TIMEOUT_MS',
      integer(60_000, 100, 3_600_000),
      'A client has this long to send a request, a sixth of it for the head, and half of it to read some of the answer',
    ),
    keepAliveTimeoutMs: setting(
      'KEEP_ALIVE_TIMEOUT_MS',
      integer(5_000, 0, 3_600_000),
      'An idle connection ends; longer than in a proxy in front',
    ),
  },
  operationLimit: setting(
    'OPERATION_LIMIT',
    integer(256, 1, 100_000),
    'Most requests of one network that an operation works on at a time; four times as many writes wait for the database',
  ),
  shutdown: {
    drainMs: setting(
      'DRAIN_MS',
      integer(500, 0, 600_000),
      'Time from SIGTERM on in which balancers notice; connections are accepted meanwhile',
    ),
    deadlineMs: setting(
      'SHUTDOWN_DEADLINE_MS',
      integer(25_000, 100, 3_600_000),
      'Time from SIGTERM on, after which open requests are cut',
    ),
  },
  metrics: {
    port: setting('METRICS_PORT', offOr(0, 65_535), 'Port for `/metrics` of Prometheus; 0 takes a free one'),
    host: setting('METRICS_HOST', host('127.0.0.1'), 'Address for `/metrics`'),
  },
  logFormat: setting(
    'LOG_FORMAT',
    choice('auto', 'json', 'pretty'),
    '`json` or `pretty` everywhere; `auto` is `pretty` in a terminal and `json` elsewhere',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    choice('info', 'debug', 'warn', 'error', 'silent'),
    'The least important lines to log: `debug`, `info`, `warn`, `error` or `silent`',
  ),
};

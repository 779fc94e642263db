// The cases that are a script each: what they measure, and where.
const script = (name, about) => ({ about, run: () => import(`./${name}.mjs`) });

export const cases = {
  start: script('start', 'start to first answer, and the memory then'),
  memory: script('memory', 'memory after --count requests (1,000,000)'),
  idle: script('idle', 'what the first requests cost after --idle seconds (60) without any'),
  hashing: script('hashing', 'log-ins and bulks with passwords against argon2 alone'),
  flat: script('flat', 'the same requests with 1,000 and with --count rows (1,000,000)'),
  profile: script('profile', 'where the CPU of a request goes, by layer'),
  'durable-create': script('durable-create', 'pets a second with group commit, without, NORMAL, PostgreSQL'),
  processes: script('processes', 'creations with 1, 2 and 4 processes on PostgreSQL, against our previous release'),
  scale: script('scale', 'sizes and service times on PostgreSQL, and what a million users would take'),
  'bulk-and-log-in': script('bulk-and-log-in', 'a log-in and a health check while users are created'),
  guessing: script('guessing', 'what --count failed log-ins (1,000,000) leave behind'),
  'same-answer': script('same-answer', 'whether the time of a refusal tells which names exist, --count tries (400)'),
  overload: script('overload', 'more load than the service can take; writes docs/overload.svg'),
  'slow-clients': script('slow-clients', 'an ordinary client beside slow ones (needs slowhttptest)'),
  soak: script('soak', '--minutes (10) of mixed work in a small heap; writes docs/soak.svg'),
};

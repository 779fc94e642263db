/** What one check of a password may cost. Memory is in KiB. */
const MOST = { memory: 262_144, passes: 16, lanes: 16 };

/** For a sentence that begins with "a hash by argon2id of". */
export const HASH_BOUNDS = `at most ${MOST.memory / 1_024} MiB, ${MOST.passes} passes and ${MOST.lanes} lanes`;

/** In the PHC string format. */
const ARGON2ID_HASH =
  /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,10})\$[A-Za-z\d+/]{11,}\$[A-Za-z\d+/]{16,}$/;

/** Whether a text is a hash by argon2id that this service checks a password against. */
export function isHashInBounds(text: string): boolean {
  const [memory, passes, lanes] = (ARGON2ID_HASH.exec(text) ?? []).slice(1).map(Number) as [number?, number?, number?];
  return (
    memory !== undefined &&
    within(lanes!, 1, MOST.lanes) &&
    within(passes!, 1, MOST.passes) &&
    within(memory, 8 * lanes!, MOST.memory)
  );
}

const within = (value: number, least: number, most: number) => value >= least && value <= most;

/** What one check of a password may cost. Memory is in KiB. */
const MOST = { memory: 262_144, passes: 16, lanes: 16 };

/** For a sentence that begins with "a hash by argon2id of". */
export const HASH_BOUNDS = `at most ${MOST.memory / 1_024} MiB, ${MOST.passes} passes and ${MOST.lanes} lanes`;

/** In the PHC string format. */
const ARGON2ID_HASH =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$([A-Za-z\d+/]{11,})\$([A-Za-z\d+/]{16,})$/;

/** Whether a text is a hash by argon2id that this service checks a password against. */
export function isHashInBounds(text: string): boolean {
  const [, memory, passes, lanes, salt, digest] = ARGON2ID_HASH.exec(text) ?? [];
  return (
    memory !== undefined &&
    within(Number(lanes), 1, MOST.lanes) &&
    within(Number(passes), 1, MOST.passes) &&
    within(Number(memory), 8 * Number(lanes), MOST.memory) &&
    isBase64(salt!) &&
    isBase64(digest!)
  );
}

/** The library fails for a text that no bytes are written as, such as one whose last bits are over. */
const isBase64 = (text: string) => Buffer.from(text, 'base64').toString('base64').replace(/=+$/, '') === text;

const within = (value: number, least: number, most: number) => value >= least && value <= most;

let last = 1_000_000;

/** SQL for a pet that nothing else is known of. */
export const insertPet = (name: string): string =>
  `INSERT INTO pet (id, version, name) VALUES (${++last}, 1, '${name}')`;

/**
 * A column of texts that an index holds: in the order of their bytes. An order of the system's changes with its
 * libraries, and makes indexes wrong (PostgreSQL manual, 24.2); SQLite has no other.
 */
export const indexedText = { type: 'text', collation: 'C' } as const;

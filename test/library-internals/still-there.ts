/*
 * What the service touches of its libraries and of Node beyond what they document. An upgrade that takes one of these
 * away fails here, by its name, which stands in src/ where it is touched: `// private: Client.processID`. What src/
 * overrides with the word `override`, or names with its type, the compiler watches.
 */

/** A test for each private of a library: whether it is there, and does what the service relies on. */
export function stillThere(library: string, privates: Record<string, () => unknown>): void {
  describe(`${library} still has`, () => {
    it.each(Object.entries(privates))('%s', async (_, isThere) => {
      expect(await isThere()).toBe(true);
    });
  });
}

/** The same object, also of its undocumented members. */
export const allOf = (holder: unknown) => holder as Record<string, unknown>;

export const areFunctions = (holder: object, ...names: string[]): boolean =>
  names.every((name) => typeof allOf(holder)[name] === 'function');

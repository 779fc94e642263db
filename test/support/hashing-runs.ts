/** Watches the hashing library; answers what it was asked to do since, in order. */
export function hashingRuns(): () => string[] {
  const argon2 = jest.requireActual<typeof import('@node-rs/argon2')>('@node-rs/argon2');
  const runs: string[] = [];
  for (const name of ['hash', 'verify'] as const) {
    const original = argon2[name] as (...args: unknown[]) => Promise<never>;
    jest.spyOn(argon2, name).mockImplementation((...args: unknown[]) => {
      runs.push(name);
      return original(...args);
    });
  }
  return () => runs;
}

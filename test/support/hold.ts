const releases: (() => void)[] = [];
// The environment of the tests releases what a failed one still holds, see environment.ts.
Object.assign(globalThis, { releases });

/** Something to wait for until `release` is called, or the test has failed: nothing waits for a test that is over. */
export function hold(): { released: Promise<void>; release: () => void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  releases.push(release);
  return { released, release };
}

import { setTimeout } from 'node:timers/promises';
import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';
import './compiled-once';

interface Globals {
  leftRunning?: Iterable<() => Promise<void>>;
  releases?: (() => void)[];
}

/** However an app is stuck, the run goes on to the next suite. */
const STOP_MS = 5_000;

/**
 * Jest's environment for Node. When a test fails it releases what that one holds (see hold.ts), before the hooks that
 * may wait for it; after a suite it stops the apps that a failed test left running (see start-app.ts).
 */
export default class StoppingEnvironment extends TestEnvironment {
  async handleTestEvent({ name }: Circus.Event): Promise<void> {
    if (name === 'test_fn_failure') {
      const { releases = [] } = this.global as Globals;
      releases.forEach((release) => release());
    }
    if (name === 'run_finish') {
      const { leftRunning = [] } = this.global as Globals;
      const stopped = Promise.allSettled([...leftRunning].map((stop) => stop()));
      await Promise.race([stopped, setTimeout(STOP_MS, undefined, { ref: false })]);
    }
  }
}

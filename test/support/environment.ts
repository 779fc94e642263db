import type { Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';

/** Jest's environment for Node. After a suite it stops the apps that a failed test left running (see start-app.ts). */
export default class StoppingEnvironment extends TestEnvironment {
  async handleTestEvent({ name }: Circus.Event): Promise<void> {
    if (name === 'run_finish') {
      const { leftRunning = [] } = this.global as { leftRunning?: Iterable<() => Promise<void>> };
      await Promise.allSettled([...leftRunning].map((stop) => stop()));
    }
  }
}

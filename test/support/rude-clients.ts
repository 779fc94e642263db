import { setTimeout } from 'node:timers/promises';
import { Connection } from './connection';
import STAGES from './rude-stages.cjs';

/** How long a client waits before it leaves: until nothing, something or all of it has been worked on. */
const WAITS_MS = [0, 5];

/**
 * Ends connections with a reset at every stage, and fulfils when all are gone. An error that nobody hears would end
 * the process, or fail the test of an app that runs in it.
 */
export async function leaveRudely(url: string): Promise<void> {
  await Promise.all(STAGES.flatMap((bytes) => WAITS_MS.map((wait) => leave(url, bytes, wait))));
}

async function leave(url: string, bytes: string, wait: number): Promise<void> {
  const client = await Connection.to(url);
  client.pause();
  await client.write(bytes);
  await setTimeout(wait);
  client.reset();
}

/** Fulfils when the service is still there; where time-outs are short, it may be too busy for the first connection. */
export async function expectAlive(url: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/health/live`, { headers: { Connection: 'close' } }).catch(
      (error: Error) => error,
    );
    if (answer instanceof Response) {
      if (![200, 408].includes(answer.status)) {
        throw new Error(`/health/live answers ${answer.status}`);
      }
      if (answer.status === 200) {
        return;
      }
    }
    await setTimeout(20);
  }
}

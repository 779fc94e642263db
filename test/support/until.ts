import { setTimeout } from 'node:timers/promises';

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await setTimeout(5);
  }
}

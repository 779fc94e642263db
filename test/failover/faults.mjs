import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What befalls the primary, or one process of the service, and how it ends. With most of them another node becomes
 * the primary.
 */
export const FAULTS = {
  /** The machine dies, and starts again later. */
  kill: {
    promotes: true,
    strike: ({ primary }) => primary.signal('SIGKILL'),
    heal: ({ primary }) => primary.start(),
  },
  /** Nothing on the machine runs, for a while; its connections stay open. */
  freeze: {
    promotes: true,
    strike: ({ primary }) => primary.signal('SIGSTOP'),
    heal: ({ primary }) => primary.signal('SIGCONT'),
  },
  /** Nothing comes from the machine or gets there, and nobody is told. */
  cut: {
    promotes: true,
    strike: ({ primary }) => primary.cut(),
    heal: ({ primary }) => primary.mend(),
  },
  /** The same, but the service still reaches the old primary. */
  'cut-from-peers': {
    promotes: true,
    strike: ({ primary }) => primary.cutFromPeers(),
    heal: ({ primary }) => primary.mend(),
  },
  switchover: {
    promotes: true,
    strike: ({ cluster, primary, heir }) => cluster.switchOver(primary, heir),
    heal: () => undefined,
  },
  /** A supervisor starts it again. */
  service: {
    promotes: false,
    strike: async ({ services, random }) => {
      services.kill(random);
      await sleep(3_000);
    },
    heal: () => undefined,
  },
};

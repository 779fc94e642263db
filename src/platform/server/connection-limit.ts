import type { Socket } from 'node:net';
import { networkOfConnection } from '../http';

interface Entry {
  socket: Socket;
  isIdle: () => boolean;
}

/**
 * Bounds the connections. One too many ends the newest connection without a whole request of the network that has most
 * of those: whoever opens many loses his own. All connections of a proxy are of the proxy's network.
 */
export class ConnectionLimit {
  private readonly ofNetworks = new Map<string, Set<Entry>>();
  private open = 0;

  constructor(private readonly limit: number) {}

  /** Counts the connection until it closes; `isIdle` answers whether it has no whole request. */
  add(socket: Socket, isIdle: () => boolean): void {
    const network = networkOfConnection(socket);
    const entries = this.ofNetworks.get(network) ?? new Set();
    const entry = { socket, isIdle };
    this.ofNetworks.set(network, entries.add(entry));
    this.open += 1;
    socket.once('close', () => {
      this.open -= 1;
      entries.delete(entry);
      if (entries.size === 0) {
        this.ofNetworks.delete(network);
      }
    });
    if (this.open > this.limit) {
      this.newestOfMost()!.destroy();
    }
  }

  /** There is one: the connection that was just added. */
  private newestOfMost(): Socket | undefined {
    let most: Entry[] = [];
    for (const entries of this.ofNetworks.values()) {
      if (entries.size > most.length) {
        const idle = [...entries].filter(({ socket, isIdle }) => !socket.destroyed && isIdle());
        most = idle.length > most.length ? idle : most;
      }
    }
    return most.at(-1)?.socket;
  }
}

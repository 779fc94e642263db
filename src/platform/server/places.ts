import type { Socket } from 'node:net';
import { networkOfConnection } from '../http';

interface Place {
  socket: Socket;
  isIdle: () => boolean;
}

/**
 * Bounds connections. When all places are taken, the newest connection without a whole request gives way, of the
 * network that has most of them: whoever opens many pushes out his own. A proxy's are of its own network.
 */
export class Places {
  private readonly ofNetworks = new Map<string, Set<Place>>();
  private taken = 0;

  constructor(private readonly limit: number) {}

  /** Takes a place for the connection until it closes; `isIdle` tells whether it has no whole request. */
  take(socket: Socket, isIdle: () => boolean): void {
    const network = networkOfConnection(socket);
    const places = this.ofNetworks.get(network) ?? new Set();
    const place = { socket, isIdle };
    this.ofNetworks.set(network, places.add(place));
    this.taken += 1;
    socket.once('close', () => {
      this.taken -= 1;
      places.delete(place);
      if (places.size === 0) {
        this.ofNetworks.delete(network);
      }
    });
    if (this.taken > this.limit) {
      this.newestOfMost()!.destroy();
    }
  }

  /** There is one: whoever has just come. */
  private newestOfMost(): Socket | undefined {
    let most: Place[] = [];
    for (const places of this.ofNetworks.values()) {
      if (places.size > most.length) {
        const idle = [...places].filter(({ socket, isIdle }) => !socket.destroyed && isIdle());
        most = idle.length > most.length ? idle : most;
      }
    }
    return most.at(-1)?.socket;
  }
}

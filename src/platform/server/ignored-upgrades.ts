import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenRequests } from './open-requests';

/**
 * Ignores offers to speak another protocol (RFC 9110, 7.8), which Java's clients make with their first request.
 * WebSocket (RFC 6455) is the exception, where a module listens for it. Node takes all bytes after such a request for
 * the other protocol. So Node is given the request again without the offer, on the same connection, once the answers to
 * the requests before it are sent.
 */
export function ignoreUpgrades(server: Server, open: OpenRequests): void {
  const ignore = (req: IncomingMessage, socket: Socket, rest: Buffer) => {
    const bytes = Buffer.concat([Buffer.from(headWithoutUpgrade(req), 'latin1'), rest]);
    // Node has removed all its listeners; an error without a listener would end the process.
    server.emit('connection', socket);
    const last = open.latestOn(socket);
    if (last) {
      socket.pause();
      last.once('close', () => {
        if (socket.readable) {
          socket.unshift(bytes);
          socket.resume();
        }
      });
    } else {
      socket.unshift(bytes);
    }
  };
  // Node emits 'upgrade' only where somebody listens for it.
  server.on('upgrade', (_: IncomingMessage, socket: Socket) => open.leave(socket));
  const emit = server.emit.bind(server) as (...parts: unknown[]) => boolean;
  // Other listeners end connections whose offer is not theirs, so they hear of WebSocket only.
  // private: Server.emit
  server.emit = (event: string, ...parts: unknown[]): boolean => {
    if (event === 'upgrade' && !(offersWebSocket(parts[0] as IncomingMessage) && server.listenerCount(event) > 1)) {
      ignore(...(parts as Parameters<typeof ignore>));
      return true;
    }
    return emit(event, ...parts);
  };
}

const offersWebSocket = ({ headers }: IncomingMessage) => headers.upgrade?.trim().toLowerCase() === 'websocket';

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'upgrade' ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );
  return [`${method} ${url} HTTP/${httpVersion}`, ...lines, '', ''].join('\r\n');
}

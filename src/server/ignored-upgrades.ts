import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenRequests } from './open-requests';

/**
 * Ignores offers to speak another protocol (RFC 9110, 7.8), which clients of Java make with their first request.
 * Node takes all that follows such a request for the other protocol, so it gets it back without the offer:
 * on the same connection, after the answers that are still owed there.
 */
export function ignoreUpgrades(server: Server, open: OpenRequests): void {
  server.on('upgrade', (req: IncomingMessage, socket: Socket, rest: Buffer) => {
    const bytes = Buffer.concat([Buffer.from(headWithoutUpgrade(req), 'latin1'), rest]);
    // Node has taken all its listeners off; without them nobody would hear an error, which would end the process.
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
  });
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'upgrade' ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );
  return [`${method} ${url} HTTP/${httpVersion}`, ...lines, '', ''].join('\r\n');
}

import { Socket } from 'node:net';

const LINGER_MS = 1_000;

/**
 * Ends a connection whose client may still be sending: the answer first, then silence until the client has ended too.
 * If it were closed at once, what is still unread would reset it, and the client could lose the answer (RFC 9112, 9.6).
 */
export function closeInStages(socket: Socket, answer = ''): void {
  socket.end(answer);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Lets Node close connections so, wherever the body of the last request has not been read to its end. */
export function lingerOverUnreadBodies(socket: Socket, isUnread: () => boolean): void {
  socket.destroySoon = () => {
    if (isUnread() && socket.writable) {
      closeInStages(socket);
    } else {
      Socket.prototype.destroySoon.call(socket);
    }
  };
}

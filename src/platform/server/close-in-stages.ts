import { Socket } from 'node:net';

const LINGER_MS = 1_000;

/**
 * Ends a connection whose client may still be sending: sends the answer, then waits until the client has ended too.
 * Closed at once, unread bytes would make the system reset the connection, and the client could lose the answer
 * (RFC 9112, 9.6).
 */
export function closeInStages(socket: Socket, answer = ''): void {
  socket.end(answer);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Has Node close a connection in stages while the body of its last request is not read to the end. */
export function lingerOverUnreadBodies(socket: Socket, isUnread: () => boolean): void {
  // private: Socket.destroySoon
  socket.destroySoon = () => {
    if (isUnread() && socket.writable) {
      closeInStages(socket);
    } else {
      Socket.prototype.destroySoon.call(socket);
    }
  };
}

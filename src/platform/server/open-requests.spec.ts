import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { OpenRequests } from './open-requests';

/** A connection whose client has yet to read so many bytes. */
function connectionOf(open: OpenRequests, ip: string, writableLength: number, isAnswered = false) {
  const socket = Object.assign(new EventEmitter(), {
    writableLength,
    destroyed: false,
    destroy: () => (socket.destroyed = true),
  });
  const req = Object.assign(new EventEmitter(), { ip, headers: {}, socket, complete: true });
  open.addConnection(Object.assign(socket, { remoteAddress: ip }) as unknown as Socket);
  if (isAnswered) {
    return socket;
  }
  open.add(req as never, Object.assign(new EventEmitter(), { req }) as never);
  return socket;
}

it('cuts off nobody while unread answers have room', () => {
  const open = new OpenRequests(100, 30);
  const sockets = ['192.0.2.1', '198.51.100.1', '203.0.113.1'].map((ip) => connectionOf(open, ip, 10));
  open.boundUnread();
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false]);
});

it('cuts off the one that has most, of the network that has most, until the rest has room', () => {
  const open = new OpenRequests(100, 55);
  const others = ['198.51.100.1', '203.0.113.1'].map((ip) => connectionOf(open, ip, 20));
  const many = [6, 8, 7, 9].map((bytes) => connectionOf(open, '192.0.2.1', bytes));
  open.boundUnread();
  expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  expect(many.map(({ destroyed }) => destroyed)).toEqual([false, true, false, true]);
});

it('counts what is left of an answer that was written on the socket, as to what is no HTTP', () => {
  const open = new OpenRequests(100, 15);
  const refused = connectionOf(open, '192.0.2.1', 20, true);
  const other = connectionOf(open, '198.51.100.1', 10);
  open.boundUnread();
  expect([refused.destroyed, other.destroyed]).toEqual([true, false]);
});

it('makes room, when all places are taken, by the newest without a whole request, of the network that has most', () => {
  const open = new OpenRequests(5);
  const many = [false, true, true, true].map((isAnswered) => connectionOf(open, '192.0.2.1', 0, isAnswered));
  const [other, another, third] = ['198.51.100.1', '198.51.100.1', '203.0.113.1'].map((ip) =>
    connectionOf(open, ip, 0, true),
  );
  // Of two that have as many, the one that came first.
  expect(many.map(({ destroyed }) => destroyed)).toEqual([false, false, true, true]);
  expect([other, another, third].map((socket) => socket!.destroyed)).toEqual([false, false, false]);
});

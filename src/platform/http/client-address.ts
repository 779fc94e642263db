import type { Socket } from 'node:net';
import * as ipaddr from 'ipaddr.js';
import type { Request } from 'express';
import { widestNetworkOf } from '../common/network';

/** An address with a port, which some proxies add to X-Forwarded-For; IPv6 stands in brackets then. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/;

/**
 * The address that a request comes from: the other end of the connection or, behind trusted proxies, the one that the
 * outermost of them names in X-Forwarded-For. That may be no address (RFC 7239, 6.3): then the connection's counts.
 */
export function clientAddress({ ip = '', socket }: Request): string {
  const [, ipv6, other] = WITH_PORT.exec(ip) ?? [];
  const address = ipv6 ?? other ?? ip;
  return ipaddr.isValid(address) ? address : (socket.remoteAddress ?? '');
}

const networks = new WeakMap<Socket, string>();

/** The network that a request comes from, by which shares are counted; without a proxy, the connection's. */
export function networkOf(req: Request): string {
  return req.headers['x-forwarded-for'] === undefined
    ? networkOfConnection(req.socket)
    : widestNetworkOf(clientAddress(req));
}

/** The network at the other end of a connection, be it a proxy's. */
export function networkOfConnection(socket: Socket): string {
  let network = networks.get(socket);
  if (network === undefined) {
    network = widestNetworkOf(socket.remoteAddress ?? '');
    networks.set(socket, network);
  }
  return network;
}

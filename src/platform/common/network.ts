import * as ipaddr from 'ipaddr.js';

/**
 * The networks that an address stands for, the narrowest first: an IPv4 address for itself, also when written as IPv6
 * (mapped, or translated as in RFC 6052); an IPv6 address for its /64, which a host has, and its /48, which a customer
 * may have. What is no address stands for itself.
 */
export function networksOf(address: string): [string, ...string[]] {
  const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : address;
  if (!(parsed instanceof ipaddr.IPv6)) {
    return [parsed.toString()];
  }
  if (parsed.range() === 'rfc6052') {
    return [parsed.toByteArray().slice(-4).join('.')];
  }
  const first = (groups: number) =>
    parsed.parts
      .slice(0, groups)
      .map((group) => group.toString(16))
      .join(':');
  return [`${first(4)}::/64`, `${first(3)}::/48`];
}

/** The largest network that one customer may have: whoever shares something out counts by it. */
export const widestNetworkOf = (address: string): string => networksOf(address).at(-1)!;

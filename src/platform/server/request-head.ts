import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { BAD_REQUEST, NOT_IMPLEMENTED, Problem, type ProblemKind } from '../common/problem';

/** RFC 3986, 3.2.2 and 3.2.3, without user information (RFC 9110, 4.2.4); the name may be empty. */
const AUTHORITY = /^(?:\[(?<ipv6>[^\]]*)\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;
const ABSOLUTE = /^https?:\/\/([^/?]+)/i;
/** No part of a URI has them (RFC 3986, 2.2; RFC 9112, 3.2), and proxies read them differently. */
const NO_TARGET = /[#\\]/;

/**
 * What Node accepts and RFC 9110 and 9112 forbid: a version other than 1.0 and 1.1, no Host or two, a Host or a target
 * that is malformed, a transfer coding that nobody decodes.
 */
export const problemOfHead = (req: IncomingMessage): Problem | undefined =>
  problemOfFraming(req) ?? problemOfHost(req) ?? problemOfTarget(req);

function problemOfFraming({ headers, httpVersion, httpVersionMajor }: IncomingMessage): Problem | undefined {
  if (httpVersionMajor !== 1) {
    return refusal('The version must be HTTP/1.1 or HTTP/1.0.');
  }
  const codings = headers['transfer-encoding']?.split(',').map((name) => name.trim().toLowerCase()) ?? [];
  if (codings.length > 0 && httpVersion === '1.0') {
    return refusal('HTTP/1.0 has no Transfer-Encoding.');
  }
  if (codings.some((name) => name !== 'chunked')) {
    return refusal('The only transfer coding is chunked.', NOT_IMPLEMENTED);
  }
  return codings.length > 1 ? refusal('A body is chunked once.') : undefined;
}

function problemOfHost({ rawHeaders, httpVersion }: IncomingMessage): Problem | undefined {
  const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === 'host');
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0')) {
    return refusal('A request has exactly one Host header.');
  }
  return hosts.every(isAuthority) ? undefined : refusal('The Host header is no host with or without a port.');
}

/** The forms of RFC 9112, 3.2, but for CONNECT, which gets no further than the socket. */
function problemOfTarget({ method, url = '' }: IncomingMessage): Problem | undefined {
  if (NO_TARGET.test(url)) {
    return refusal('The address holds a character that has no place in it.');
  }
  const authority = ABSOLUTE.exec(url)?.[1];
  const isKnown =
    authority === undefined ? url.startsWith('/') || (url === '*' && method === 'OPTIONS') : isAuthority(authority);
  return isKnown ? undefined : refusal('The address is none of this service.');
}

/** A proxy may send the whole URI (RFC 9112, 3.2.2); which host it names makes no difference here. */
export function inOriginForm(target: string): string {
  const rest = target.replace(ABSOLUTE, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

function isAuthority(text: string): boolean {
  const parts = AUTHORITY.exec(text);
  return parts !== null && (parts.groups!.ipv6 === undefined || isIPv6(parts.groups!.ipv6));
}

const refusal = (detail: string, kind: ProblemKind = BAD_REQUEST) => new Problem(kind, detail);

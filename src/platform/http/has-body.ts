import type { IncomingMessage } from 'node:http';

/** Whether a request announces a body of at least one byte (RFC 9112, 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0').replace(/^0+/, '') !== '';

import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import {
  BAD_REQUEST,
  BODY_TOO_LARGE,
  HEADERS_TOO_LARGE,
  Problem,
  REQUEST_TIMEOUT,
  type ProblemKind,
} from '../common/problem';

/** By the codes of Node's HTTP server and its parser; every other one means that the bytes are not HTTP. */
const KINDS: Record<string, ProblemKind> = {
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: BODY_TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TIMEOUT,
};

/** The response that Node is about to write on a socket. */
type Answering = Socket & { _httpMessage?: ServerResponse & { req: IncomingMessage } };

/**
 * Answers as a problem what Node itself would refuse without a body: bytes that are not HTTP (400), headers or
 * addresses beyond its limit (431), a request that takes too long to arrive (408), a tunnel (400). The connection ends.
 */
export function refuseUnreadable(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Answering) => {
    const kind = KINDS[error.code ?? ''] ?? BAD_REQUEST;
    const answering = socket._httpMessage;
    if (answering?.req.complete) {
      // The request before these bytes is whole and may be stored: it is owed its own answer.
      answering.once('close', () => refuse(socket, kind));
    } else if (answering?.headersSent) {
      socket.destroy();
    } else {
      refuse(socket, kind);
    }
  });
  server.on('connect', (_req, socket) => refuse(socket as Socket, BAD_REQUEST));
  // An expectation that nobody knows may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
}

function refuse(socket: Socket, kind: ProblemKind): void {
  const id = randomUUID();
  const body = new Problem(kind, `${kind.meaning}.`).json(id);
  const head = [
    `HTTP/1.1 ${kind.status} ${STATUS_CODES[kind.status]}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  if (socket.writable) {
    socket.end([...head, '', body].join('\r\n'));
  }
  socket.destroySoon();
}

/**
 * What Node lets pass: another version than HTTP/1 in its form (an answer to HTTP/2.0 would have no length),
 * or two Hosts; HTTP/1.1 demands exactly one (RFC 9112, 3.2).
 */
export function checkRequestHead(req: Request, _res: Response, next: NextFunction): void {
  const hosts = req.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== '1.0')) {
    throw new Problem(BAD_REQUEST, 'A request has exactly one Host header.');
  }
  if (req.httpVersionMajor !== 1) {
    throw new Problem(BAD_REQUEST, 'The version must be HTTP/1.1 or HTTP/1.0.');
  }
  next();
}

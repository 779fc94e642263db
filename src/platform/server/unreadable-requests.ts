import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  BAD_REQUEST,
  BODY_TOO_LARGE,
  HEADERS_TOO_LARGE,
  Problem,
  REQUEST_TIMEOUT,
  type ProblemKind,
} from '../common/problem';
import { continueWhenRead, refuseUnfinished, type CorsRequest } from '../http';
import { closeInStages } from './close-in-stages';
import type { OpenRequests } from './open-requests';

/** By the error codes of Node's HTTP server and parser; every other code means that the bytes are not HTTP. */
const KINDS: Record<string, ProblemKind> = {
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: BODY_TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TIMEOUT,
};

const ORIGIN = /^origin:[ \t]*(\S+)[ \t]*\r?$/im;

interface Unreadable extends NodeJS.ErrnoException {
  /** The bytes that Node's parser refused; none after a time-out. */
  rawPacket?: Buffer;
}

/**
 * Answers with a problem what Node itself would refuse without a body: bytes that are not HTTP (400), headers or
 * addresses beyond its limit (431), a request that takes too long to arrive (408), a tunnel (400). Then the connection
 * ends; but the requests that had arrived whole before are answered first, for they may already be stored.
 */
export function refuseUnreadable(
  server: Server,
  open: OpenRequests,
  headersFor: (req: CorsRequest) => Record<string, string>,
): void {
  const ending = new WeakSet<Socket>();

  const end = (socket: Socket, kind: ProblemKind, origin: string | undefined): void => {
    if (ending.has(socket)) {
      return;
    }
    ending.add(socket);
    const answer = () => answerOnSocket(socket, kind, headersFor({ headers: { origin } }));
    const last = open.latestOn(socket);
    if (open.hasAnswered(socket)) {
      closeInStages(socket);
    } else if (!last) {
      answer();
    } else if (last.req.complete) {
      last.once('close', answer);
    } else if (last.headersSent) {
      last.once('close', () => socket.destroySoon());
    } else {
      refuseUnfinished(last.req, last, problemOf(kind));
    }
  };

  server.on('clientError', ({ code = '', rawPacket }: Unreadable, socket: Socket) =>
    end(socket, KINDS[code] ?? BAD_REQUEST, ORIGIN.exec(rawPacket?.toString('latin1') ?? '')?.[1]),
  );
  server.on('connect', ({ headers }, socket: Socket) => {
    // Node has removed all its listeners; an error without a listener would end the process.
    server.emit('connection', socket);
    socket.pause();
    end(socket, BAD_REQUEST, headers.origin);
  });
  server.on('checkContinue', (req, res) => {
    continueWhenRead(req, res);
    server.emit('request', req, res);
  });
  // A server may ignore an unknown expectation (RFC 9110, 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
}

const problemOf = (kind: ProblemKind) => new Problem(kind, `${kind.meaning}.`);

function answerOnSocket(socket: Socket, kind: ProblemKind, common: Record<string, string>): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const body = problemOf(kind).json(id);
  const headers = {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': id,
    ...common,
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  closeInStages(socket, [`HTTP/1.1 ${kind.status} ${STATUS_CODES[kind.status]}`, ...lines, '', body].join('\r\n'));
}

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Request, RequestHandler, Response } from 'express';
import { writeJson } from '../common/json';
import { assignRequestId, cors, locate, ProblemFilter, Router, type Operations } from '../http';
import type { Config } from '../config';
import { Admission } from './admission';
import { lingerOverUnreadBodies } from './close-in-stages';
import { bornForExpress } from './express-messages';
import { ignoreUpgrades } from './ignored-upgrades';
import { OpenRequests } from './open-requests';
import { refuse, refuseUnfinished } from './refusal';
import { inOriginForm, problemOfHead } from './request-head';
import { Turns } from './turns';
import { refuseUnreadable } from './unreadable-requests';

/** Node looks for connections that are past their time this often; its own 30 s would outlast the limits. */
const CHECK_EVERY_MS = 1_000;

/** What is done at each request before its handler, and is over when it returns. */
type Before = (req: Request, res: Response) => void;

/**
 * Express behind a server with limits: on connections, on the time that slow clients get, and on load.
 * A request over the limit is refused before anything else sees it, which costs little. The others have Express's
 * requests and responses, but are led by the table of operations: its list of layers would cost more than all of ours.
 */
export class ServerAdapter extends ExpressAdapter {
  readonly admission: Admission;
  readonly openRequests = new OpenRequests();
  private readonly turns = new Turns();
  private readonly cors: ReturnType<typeof cors>;
  private operations: Operations;
  private router: Router;
  private before: Before[] = [];
  private readonly problems = new ProblemFilter();

  constructor(private readonly config: Config) {
    super();
    this.admission = new Admission(config);
    this.cors = cors(config.corsOrigins);
  }

  /** From now on requests are looked up in this table. */
  route(operations: Operations, ...before: Before[]): void {
    this.operations = operations;
    this.router = new Router(operations);
    this.before = before;
  }

  override get = this.adding('GET');
  override post = this.adding('POST');
  override put = this.adding('PUT');
  override patch = this.adding('PATCH');
  override delete = this.adding('DELETE');

  /** Nest would warn of routes whose order decides; in the table of operations none does. */
  override isRouteOrderSensitive(): boolean {
    return false;
  }

  /** Express's layers are passed by, and nothing may stand there unnoticed. */
  override createMiddlewareFactory(): never {
    throw new Error('Middleware of modules is never run: what every request goes through is listed in app.ts');
  }

  /** Nest hands over each route with its handler. */
  private adding(method: string) {
    return (path: unknown, handler?: unknown): void =>
      this.router.add(method, String(path).replace(/:(\w+)/g, '{$1}'), handler as RequestHandler);
  }

  override initHttpServer(): void {
    const { connections } = this.config;
    const express = this.getInstance<Express>();
    const server: Server = createServer(
      {
        ...bornForExpress(express),
        headersTimeout: Math.min(connections.headersTimeoutMs, connections.requestTimeoutMs),
        requestTimeout: connections.requestTimeoutMs,
        keepAliveTimeout: connections.keepAliveTimeoutMs,
        connectionsCheckingInterval: CHECK_EVERY_MS,
        // Node would refuse it without a body; problemOfHead does it in our words.
        requireHostHeader: false,
      },
      (req, res) => {
        if (this.openRequests.isEnding(req.socket)) {
          return;
        }
        assignRequestId(req, res);
        this.cors(req, res);
        this.openRequests.add(req, res);
        const problem = problemOfHead(req);
        if (problem) {
          refuseUnfinished(req, res, problem);
          return;
        }
        req.url = inOriginForm(req.url!);
        locate(req, this.operations);
        if (this.admission.admits(req, res)) {
          this.turns.take(req as Request, () => {
            // It may have been refused, or its client gone, while it waited.
            if (!res.writableEnded && !res.destroyed) {
              this.handle(req as Request, res as Response);
            }
          });
        } else {
          refuse(req, res);
        }
      },
    );
    // A header that Node leaves out could be a second Host; their size is limited anyway.
    server.maxHeadersCount = 0;
    refuseUnreadable(server, this.openRequests, this.config.corsOrigins);
    ignoreUpgrades(server, this.openRequests);
    server.on('connection', (socket) => {
      this.openRequests.addConnection(socket);
      lingerOverUnreadBodies(socket, () => this.openRequests.latestOn(socket)?.req.complete === false);
    });
    server.maxConnections = connections.max;
    server.setTimeout(connections.writeTimeoutMs, cutOffSlowReader);
    this.httpServer = server;
  }

  private handle(req: Request, res: Response): void {
    try {
      for (const step of this.before) {
        step(req, res);
      }
      this.router.dispatch(req, res);
    } catch (error) {
      this.problems.answer(error, req, res);
    }
  }

  /** Objects and arrays go out as JSON with exact integers. An empty answer says its length, which Node omits to HTTP/1.0. */
  override reply(response: ServerResponse, body: unknown, statusCode?: number): unknown {
    if (body === undefined) {
      response.setHeader('Content-Length', 0);
    } else if (typeof body === 'object' && body !== null && !(body instanceof StreamableFile)) {
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      return super.reply(response, writeJson(body), statusCode) as unknown;
    }
    return super.reply(response, body, statusCode) as unknown;
  }
}

/** A silent connection that waits for us, or that Node's own time-outs watch over, is left alone. */
function cutOffSlowReader(socket: Socket): void {
  if (socket.writableLength > 0) {
    socket.destroy();
  }
}

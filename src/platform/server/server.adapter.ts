import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { StreamableFile } from '@nestjs/common';
import type { Express, Request, Response } from 'express';
import { writeJson } from '../common/json';
import {
  Answer,
  assignRequestId,
  commonHeaders,
  locate,
  networkOf,
  refuse,
  refuseUnfinished,
  type Operations,
} from '../http';
import type { Config } from '../config';
import { TimeSlices } from '../scheduling';
import { Admission } from './admission';
import { lingerOverUnreadBodies } from './close-in-stages';
import { bornForExpress } from './express-messages';
import { ignoreUpgrades } from './ignored-upgrades';
import { OpenRequests } from './open-requests';
import { RoutedAdapter } from './routed.adapter';
import { inOriginForm, problemOfHead } from './request-head';
import { refuseUnreadable } from './unreadable-requests';

/** How often Node checks for connections past their time-out; its default of 30 s would outlast the limits. */
const CHECK_EVERY_MS = 1_000;

/** Runs at each request before its handler, synchronously. */
type Before = (req: Request, res: Response) => void;

/**
 * Express behind a server with limits: on connections, on the time that slow clients get, and on load.
 * A request over a limit is refused before any other code runs for it, which costs little.
 */
export class ServerAdapter extends RoutedAdapter {
  readonly admission: Admission;
  readonly openRequests: OpenRequests;
  private readonly slices = new TimeSlices();
  private readonly headersFor: ReturnType<typeof commonHeaders>;
  private before: Before[] = [];

  constructor(private readonly config: Config) {
    super();
    this.admission = new Admission(config);
    this.openRequests = new OpenRequests(config.connections.max);
    this.headersFor = commonHeaders(config);
  }

  /** From now on requests are looked up in this table. */
  route(operations: Operations, ...before: Before[]): void {
    this.lookUpIn(operations);
    this.before = before;
  }

  override initHttpServer(): void {
    const { connections } = this.config;
    const express = this.getInstance<Express>();
    const server: Server = createServer(
      {
        ...bornForExpress(express),
        headersTimeout: Math.ceil(connections.requestTimeoutMs / 6),
        requestTimeout: connections.requestTimeoutMs,
        keepAliveTimeout: connections.keepAliveTimeoutMs,
        connectionsCheckingInterval: CHECK_EVERY_MS,
        // Node would refuse a missing Host without a body; problemOfHead answers a problem.
        requireHostHeader: false,
      },
      (req, res) => {
        if (this.openRequests.isEnding(req.socket)) {
          return;
        }
        assignRequestId(req, res);
        Object.entries(this.headersFor(req)).forEach(([name, value]) => res.setHeader(name, value));
        this.openRequests.add(req, res);
        const problem = problemOfHead(req);
        if (problem) {
          refuseUnfinished(req, res, problem);
          return;
        }
        req.url = inOriginForm(req.url!);
        locate(req, this.operations!);
        if (this.admission.admits(req, res)) {
          this.openRequests.begin(res, () =>
            this.slices.begin(networkOf(req as Request), () => {
              // It may have been refused while it waited.
              if (!res.writableEnded) {
                this.handle(req as Request, res as Response);
              }
            }),
          );
        } else {
          refuse(req, res);
        }
      },
    );
    // Node would leave out headers beyond a number, be it a second Host; their size is limited anyway.
    server.maxHeadersCount = 0;
    refuseUnreadable(server, this.openRequests, this.headersFor);
    ignoreUpgrades(server, this.openRequests);
    server.on('connection', (socket) => {
      this.openRequests.addConnection(socket);
      lingerOverUnreadBodies(socket, () => this.openRequests.latestOn(socket)?.req.complete === false);
    });
    server.setTimeout(Math.ceil(connections.requestTimeoutMs / 2), cutOffSlowReader);
    this.httpServer = server;
  }

  private handle(req: Request, res: Response): void {
    // Handlers and libraries of Express call it with errors; without it such an error would end the process.
    const next = (error?: unknown) => this.fail(error, req, res);
    req.next = next; // private: req.next
    req.res = res;
    req.originalUrl = req.url;
    req.baseUrl = '';
    res.locals = Object.create(null) as Response['locals'];
    res.on('error', next);
    try {
      for (const step of this.before) {
        step(req, res);
      }
      // Its client may have gone while it waited.
      if (!res.destroyed) {
        this.walk(req, res, next);
      }
    } catch (error) {
      next(error);
    }
  }

  /**
   * Objects and arrays go out as JSON with exact integers. An empty answer says its length, which Node omits to
   * HTTP/1.0; to HEAD it says nothing of the body that GET would have.
   */
  override reply(response: ServerResponse, body: unknown, statusCode?: number): unknown {
    if (body instanceof Answer) {
      return this.renderAnswer(response as Response, body);
    }
    if (body === undefined && response.req.method !== 'HEAD') {
      response.setHeader('Content-Length', 0);
    } else if (typeof body === 'object' && body !== null && !(body instanceof StreamableFile)) {
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      return super.reply(response, writeJson(body), statusCode) as unknown;
    }
    return super.reply(response, body, statusCode) as unknown;
  }

  /** Nest has set the status of the success; the answer may have another. */
  private async renderAnswer(res: Response, answer: Answer<unknown>): Promise<void> {
    this.reply(res, await answer.render(res));
  }
}

/** Leaves alone a silent connection that waits for our answer, or that Node's own time-outs cover. */
function cutOffSlowReader(socket: Socket): void {
  if (socket.writableLength > 0) {
    socket.destroy();
  }
}

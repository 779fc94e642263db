import { HttpException, RequestMethod } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { foreignProblem, locate, ProblemFilter, Router, type Operations } from '../http';

/** Nest's hook, and the table of operations. */
const OWN_LAYERS = 2;
const NOBODY = () => undefined;

/**
 * Express, with the table of operations in the place of its list of layers, which would cost more than all of our own
 * work. Where a module has added a layer, requests walk Express's list, and the table is one layer of it.
 */
export class RoutedAdapter extends ExpressAdapter {
  protected operations?: Operations;
  private router?: Router;
  private readonly problems = new ProblemFilter();
  private exceptionLayer: ErrorRequestHandler = (error, req, res) => this.problems.answer(error, req, res);
  private hasHooks = false;

  constructor() {
    super();
    for (const method of Object.values(RequestMethod).filter((value) => typeof value === 'string')) {
      // private: a method of ExpressAdapter for each method of HTTP
      Object.assign(this, { [method.toLowerCase()]: this.adding(method) });
    }
  }

  protected lookUpIn(operations: Operations): void {
    this.operations = operations;
    this.router = new Router(operations);
  }

  /** Calls `next` without an error for a request that nothing answers, and with one for a failure. */
  protected walk(req: Request, res: Response, next: NextFunction): void {
    const express = this.getInstance<Express>().router; // private: app.router.stack
    if (express.stack.length > OWN_LAYERS || this.hasHooks) {
      express(req, res, next);
    } else {
      this.router!.dispatch(req, res, next);
    }
  }

  /** Answers by Nest's exception layer, which asks the filters of modules; by ours, when such a filter fails. */
  protected fail(error: unknown, req: Request, res: Response): void {
    Promise.resolve(this.exceptionLayer(error ?? this.router!.missed(req), req, res, NOBODY)).catch(
      (failure: unknown) => this.problems.answer(failure, req, res),
    );
  }

  /** Nest would warn of routes whose order matters; the table of operations has no order. */
  override isRouteOrderSensitive(): boolean {
    return false;
  }

  /**
   * Nest hands over each route with its handler. The table is the layer of Express where Nest would put the routes:
   * behind what was used before, in front of what modules add at their start. Routes of no controller go to Express.
   */
  private adding(method: string) {
    return (path: unknown, handler: unknown): void => {
      const isFirst = this.router?.isEmpty;
      if (!this.router?.add(method, String(path), handler as RequestHandler)) {
        this.getInstance<Express>()[method.toLowerCase() as 'get'](path as string, handler as RequestHandler);
      } else if (isFirst) {
        this.use((req: Request, res: Response, next: NextFunction) => {
          // An earlier layer may have changed the address.
          locate(req, this.operations!);
          this.router!.dispatch(req, res, next);
        });
      }
    };
  }

  /** Called when all routes are there. */
  override setNotFoundHandler(_: unknown, prefix: string): void {
    if (prefix) {
      throw new Error(
        `setGlobalPrefix('${prefix}') would move every path of the contract: ` +
          'put the prefix into the path of a controller, or have RouterModule put it before those of a module',
      );
    }
    this.router!.checkAll();
  }

  override setErrorHandler(handler: unknown): void {
    this.exceptionLayer = handler as ErrorRequestHandler;
  }

  /** Makes failures of Express and its middleware exceptions, for the filters of modules. */
  override mapException(error: unknown): unknown {
    if (error instanceof HttpException) {
      return error;
    }
    const problem = foreignProblem(error);
    return problem.kind.status < 500 ? problem : error;
  }

  override setOnRequestHook(hook: (...parts: never[]) => void): void {
    this.hasHooks = true;
    super.setOnRequestHook(hook as never);
  }

  override setOnResponseHook(hook: (...parts: never[]) => void): void {
    this.hasHooks = true;
    super.setOnResponseHook(hook as never);
  }
}

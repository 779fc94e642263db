import { RequestMethod, VERSION_NEUTRAL } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, VERSION_METADATA, HTTP_CODE_METADATA } from '@nestjs/common/internal';
import { ModulesContainer } from '@nestjs/core';
import { ACCESS } from '../src/auth';
import { startApp, type RunningApp } from './support/start-app';

// Whoever adds a route writes down here who may call it.
const ROUTES = [
  'GET /health/live 200 anyone',
  'GET /health/ready 200 anyone',
  'GET /v2/user/login 200 anyone',
  'GET /v2/user/logout 200 anyone',
  'POST /v1/pet 201 petCreation',
  'POST /v2/user/createWithArray 200 userCreation',
  'POST /v2/user/createWithList 200 userCreation',
  'PUT /v2/pet 200 token',
];

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

it('has exactly the routes that are written down, each with its status and protection', () => {
  const controllers = [...running.app.get(ModulesContainer).values()]
    .flatMap((module) => [...module.controllers.values()])
    .map(({ metatype }) => metatype as new () => object);
  const meta = (key: string, target: object) => Reflect.getMetadata(key, target) as string | number | undefined;
  const routes = controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype)
      .map((name) => (controller.prototype as Record<string, object>)[name]!)
      .filter((handler) => meta(METHOD_METADATA, handler) !== undefined)
      .map((handler) => {
        const isNeutral = Reflect.getMetadata(VERSION_METADATA, controller) === VERSION_NEUTRAL;
        const prefix = isNeutral ? '' : `/v${meta(VERSION_METADATA, controller)}`;
        const own = meta(PATH_METADATA, handler);
        const path = `${prefix}/${meta(PATH_METADATA, controller)}${own === '/' ? '' : `/${own}`}`;
        const method = RequestMethod[Number(meta(METHOD_METADATA, handler))];
        return `${method} ${path} ${meta(HTTP_CODE_METADATA, handler)} ${meta(ACCESS, handler) ?? 'NOT WRITTEN DOWN'}`;
      }),
  );
  expect(routes.sort()).toEqual(ROUTES);
});

import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Module, type INestApplication, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { shutDownOnSignal } from '../../src/platform/server';
import { Connection } from '../support/connection';
import { startOurs } from '../support/plain-nest';
import { until } from '../support/until';

/** Listens as gateways do: takes what is for its path, and ends every other connection. */
@Module({})
class GatewayModule implements OnModuleInit, OnModuleDestroy {
  private readonly sockets: Socket[] = [];
  constructor(private readonly host: HttpAdapterHost) {}
  onModuleInit() {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
      if (req.url !== '/gateway') {
        socket.destroy();
        return;
      }
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.write(head);
      this.sockets.push(socket.pipe(socket));
    });
  }
  onModuleDestroy() {
    this.sockets.forEach((socket) => socket.destroy());
  }
}

const offer = (path: string, protocol: string) =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;

let app: INestApplication;
let url: string;
const start = async (...modules: (typeof GatewayModule)[]) => {
  app = await startOurs(() => undefined, modules);
  url = await app.getUrl();
};
afterEach(() => app.close());

it('gives an offer of WebSocket to a module that listens', async () => {
  await start(GatewayModule);
  const client = await Connection.to(url);
  await client.write(`${offer('/gateway', 'WebSocket')}early `);
  await client.answers(1);
  await client.write('late');
  await until(() => client.received.endsWith('early late'));
  expect(client.statuses).toEqual([101]);
});

it('ignores every other offer beside a module that listens', async () => {
  await start(GatewayModule);
  const client = await Connection.to(url);
  await client.write(offer('/health/live', 'h2c') + offer('/health/live', 'TLS/1.0'));
  await client.answers(2);
  expect(client.statuses).toEqual([200, 200]);
});

it('ignores an offer of WebSocket that nobody listens for', async () => {
  await start();
  const client = await Connection.to(url);
  await client.write(offer('/health/live', 'websocket'));
  await client.answers(1);
  expect(client.statuses).toEqual([200]);
});

it('ends without waiting for WebSockets, which their modules end', async () => {
  await start(GatewayModule);
  const client = await Connection.to(url);
  await client.write(offer('/gateway', 'websocket'));
  await client.answers(1);
  const ended = shutDownOnSignal(app, { drainMs: 0, deadlineMs: 600_000 });
  process.emit('SIGTERM');
  expect(await ended).toBe(0);
  await until(() => client.isClosed);
});

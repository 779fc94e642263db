import { once } from 'node:events';
import { createServer, get, IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, Socket, type AddressInfo } from 'node:net';
import express from 'express';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { allOf, areFunctions, stillThere } from './still-there';

/** Whether Node's server hands over a body by the method of the request that `replace` replaces. */
async function isCalled(replace: (req: IncomingMessage, tell: () => void) => void): Promise<boolean> {
  let called = false;
  const server = createServer((req, res) => {
    replace(req, () => (called = true));
    req.resume().on('close', () => res.end());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { method: 'POST', body: 'body' });
  server.close();
  return called;
}

stillThere('node:http', {
  'IncomingMessage.push': () =>
    isCalled((req, tell) => {
      req.push = (chunk) => {
        tell();
        return IncomingMessage.prototype.push.call(req, chunk);
      };
    }),
  'IncomingMessage._read': () =>
    isCalled((req, tell) => {
      req._read = (size) => {
        tell();
        Reflect.deleteProperty(req, '_read');
        req._read(size);
      };
    }),
  'IncomingMessage._destroy': () =>
    isCalled((req, tell) => {
      req._destroy = (_, done) => {
        tell();
        done(null);
      };
    }),
  'ServerResponse.assignSocket': () => {
    const res = new ServerResponse(new IncomingMessage(new Socket()));
    const socket = new Socket();
    res.assignSocket(socket);
    return res.socket === socket;
  },
  'Server.emit': async () => {
    const told: unknown[] = [];
    const server = createServer();
    const emit = server.emit.bind(server) as (...parts: unknown[]) => boolean;
    server.emit = (event: string, ...parts: unknown[]) => {
      told.push(event);
      return emit(event, ...parts);
    };
    server.on('upgrade', (_, socket) => socket.destroy());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const headers = { Connection: 'upgrade', Upgrade: 'other' };
    await once(get({ port: (server.address() as AddressInfo).port, headers }), 'error');
    server.close();
    return told.includes('upgrade');
  },
  'Server.close beside the one of node:net': () =>
    areFunctions(NetServer.prototype, 'close') && Server.prototype.close !== NetServer.prototype.close,
});

stillThere('node:net', { 'Socket.destroySoon': () => areFunctions(Socket.prototype, 'destroySoon') });

stillThere('express', {
  'app.request': () => areFunctions(express().request, 'get', 'accepts'),
  'app.response': () => areFunctions(express().response, 'set', 'sendFile'),
  'req.fresh': () => 'fresh' in express.request,
  'req.next': () => String(allOf(express.response).sendFile).includes('req.next'),
  'app.router.stack': () => {
    const app = express();
    app.use((_req, _res, next) => next());
    return app.router.stack.length === 1;
  },
});

stillThere('prom-client', {
  'the values of getMetricsAsArray': async () => {
    const registry = new Registry();
    new Counter({ name: 'a', help: 'a', registers: [registry] }).inc(2);
    const metrics = await registry.getMetricsAsJSON();
    const [sum] = AggregatorRegistry.aggregate([metrics, metrics]).getMetricsAsArray();
    return (allOf(sum).values as { value: number }[])[0]!.value === 4;
  },
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Registry } from 'prom-client';
import type { Config } from '../config';

/** Serves what `collect` answers at /metrics, on an address of its own that no client of the service needs to reach. */
export async function serveMetrics(
  { host, port }: NonNullable<Config['metrics']>,
  collect: () => Promise<string>,
): Promise<Server> {
  const server = createServer((req, res) => {
    if (!['GET', 'HEAD'].includes(req.method!) || req.url !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    collect().then(
      (text) => res.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => res.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

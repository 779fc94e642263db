import { createServer, request } from 'node:http';

/** Passes each request to the next of the servers in turn. */
export async function startBalancer(urls) {
  let turn = 0;
  const server = createServer((req, res) => {
    const { hostname, port } = new URL(urls[turn++ % urls.length]);
    const passed = request({ hostname, port, path: req.url, method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
    });
    req.pipe(passed);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready()));
  const stop = () => new Promise((done) => server.close(done) && server.closeAllConnections());
  return { url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`, stop };
}

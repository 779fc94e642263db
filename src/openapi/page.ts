import { dirname } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Express, Request, RequestHandler, Response } from 'express';

const ASSETS = dirname(require.resolve('swagger-ui-dist/package.json'));
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

// The page takes everything from this service. Swagger UI draws its icons from data: addresses.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Pet and User service</title>
    <link rel="stylesheet" href="docs/swagger-ui.css" />
    <link rel="icon" href="docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui', validatorUrl: null, tryItOutEnabled: true });\n`;

/**
 * Serves the OpenAPI document at /openapi.json and a page to read and try it at /docs, all from this service.
 * `document` is asked for once, at the first request.
 */
export function serveDocs(express: Express, document: () => OpenAPIObject): void {
  const serve = (path: string, handler: RequestHandler) => express.route(path).get(handler).head(handler);
  const send = (type: string, text: string) => (_req: Request, res: Response) => res.type(type).send(text);

  let json: string | undefined;
  serve('/openapi.json', (_req, res) => res.type('json').send((json ??= JSON.stringify(document()))));
  serve('/docs', (req, res) => send('html', PAGE)(req, res.set('Content-Security-Policy', POLICY)));
  serve('/docs/start.js', send('js', START));
  for (const file of FILES) {
    serve(`/docs/${file}`, (_req, res) => res.sendFile(file, { root: ASSETS }));
  }
}

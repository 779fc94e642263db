import { dirname } from 'node:path';

/** Where Swagger UI's own files are, and which of them the page needs. */
export const ASSETS = dirname(require.resolve('swagger-ui-dist/package.json'));
export const ASSET_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

// The page takes everything from this service. Swagger UI draws its icons from data: addresses.
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `root` leads from the page's own address to where the service's paths begin. */
export const page = (root: string) => `<!doctype html>
<html lang="en" data-root="${root}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Pet and User service</title>
    <link rel="stylesheet" href="${root}docs/swagger-ui.css" />
    <link rel="icon" href="${root}docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="${root}docs/swagger-ui-bundle.js"></script>
    <script src="${root}docs/start.js"></script>
  </body>
</html>
`;

export const START = `SwaggerUIBundle({ url: document.documentElement.dataset.root + 'openapi.json', dom_id: '#swagger-ui', validatorUrl: null, tryItOutEnabled: true, persistAuthorization: true });\n`;

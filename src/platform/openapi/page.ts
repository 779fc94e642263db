import { dirname, resolve } from 'node:path';
import helmet from 'helmet';
import { version } from '../common/version';
import { RULES } from './document';
import { SHARED_PROBLEMS } from './page-document';

const SWAGGER_UI = dirname(require.resolve('swagger-ui-dist/package.json'));
const OWN = resolve(__dirname, 'assets');

/** The files that the page needs, and the folder that each is in. */
export const FILES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', SWAGGER_UI],
  ['swagger-ui-bundle.js', SWAGGER_UI],
  ['page.css', OWN],
  ['page.js', OWN],
  ['icon.svg', OWN],
]);

/** Headers that a web page needs beside what every answer has. The policy is POLICY. */
export const pageHeaders = helmet({ contentSecurityPolicy: false, strictTransportSecurity: false });

// The page takes everything from this service. Swagger UI draws its icons from data: addresses, photos from blob: ones.
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const html = (markdown: string) => markdown.replace(/`(.*?)`/g, '<code>$1</code>');
const rules = RULES.map((rule) => `<li>${html(rule)}</li>`).join('');
const sharedProblems = Object.entries(SHARED_PROBLEMS)
  .map(([where, kinds]) => {
    const rows = kinds.map(
      ({ status, title, meaning }) =>
        `<tr><td>${status}</td><th scope="row">${title}</th><td>${html(meaning)}</td></tr>`,
    );
    return `<tbody><tr><th colspan="3" scope="rowgroup">${where}</th></tr>${rows.join('')}</tbody>`;
  })
  .join('');

/** `root` leads from the page's own address to where the service's paths begin. */
export const page = (root: string) => `<!doctype html>
<html lang="en" data-root="${root}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Pet and User service</title>
    <link rel="stylesheet" href="${root}docs/swagger-ui.css" />
    <link rel="stylesheet" href="${root}docs/page.css" />
    <link rel="icon" href="${root}docs/icon.svg" type="image/svg+xml" />
  </head>
  <body>
    <header>
      <img src="${root}docs/icon.svg" alt="" width="44" height="44" />
      <h1>Pet and User service <small>${version()}</small></h1>
      <a href="${root}openapi.json">openapi.json</a>
    </header>
    <section id="steps" aria-labelledby="steps-title">
      <h2 id="steps-title">Three steps to your first updated pet</h2>
      <ol>
        <li>
          <form id="create-user">
            <h3>Create a user</h3>
            <label>Username <input name="username" required autocomplete="off" /></label>
            <label>Password <input name="password" required autocomplete="off" value="correct horse" /></label>
            <button>Create the user</button>
            <output>Sends <a href="#/user/createUser">POST /v2/user</a></output>
          </form>
        </li>
        <li>
          <form id="log-in">
            <h3>Log in and authorise</h3>
            <p>The answer is a token. From then on this page sends it, also after a reload.</p>
            <button>Log in</button>
            <output>Sends <a href="#/user/loginUserWithBody">POST /v2/user/login</a></output>
          </form>
        </li>
        <li>
          <form id="update-pet">
            <h3>Update a pet</h3>
            <label>Name <input name="name" required autocomplete="off" value="Rex" /></label>
            <label>Status <select name="status"><option>available</option><option>pending</option><option selected>sold</option></select></label>
            <button>Create it, then update it</button>
            <output>Sends <a href="#/pet/createPet">POST /v1/pet</a>, then <a href="#/pet/updatePet">PUT /v2/pet</a></output>
          </form>
        </li>
      </ol>
    </section>
    <details id="shared">
      <summary>What operations share: the rules of all, and failures that can come beside an operation's own</summary>
      <ul>${rules}</ul>
      <table>${sharedProblems}</table>
    </details>
    <div id="swagger-ui"></div>
    <script src="${root}docs/swagger-ui-bundle.js"></script>
    <script src="${root}docs/page.js"></script>
  </body>
</html>
`;

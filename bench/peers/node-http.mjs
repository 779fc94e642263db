// node:http, ajv, prepared statements and group commit, with nothing between: the limit of what can be had.
import { createServer } from 'node:http';
import { areUsers, isNewPet, isPetUpdate } from './checks.mjs';
import { Store } from './store.mjs';

const store = new Store();

let waiting = [];
/** What comes in within one turn of the event loop shares a COMMIT. */
function inGroup(work) {
  return new Promise((resolve, reject) => {
    if (waiting.push({ work, resolve, reject }) === 1) {
      setImmediate(commitGroup);
    }
  });
}
function commitGroup() {
  const group = waiting;
  waiting = [];
  try {
    const results = store.database.transaction(() => group.map(({ work }) => work()))();
    group.forEach(({ resolve }, index) => resolve(results[index]));
  } catch (error) {
    group.forEach(({ reject }) => reject(error));
  }
}

function send(res, status, value, headers = {}) {
  const text = value === undefined ? '' : JSON.stringify(value);
  res.writeHead(status, { ...headers, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  res.end(text);
}

function withBody(req, work) {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => work(JSON.parse(Buffer.concat(chunks).toString())));
}

const ownUser = (req, res, username) => {
  const found = store.ownUser(store.caller(req.headers.authorization), username);
  return found ? send(res, 200, found.user, { ETag: found.etag }) : send(res, 403);
};

const routes = {
  'GET /health/live': (req, res) => send(res, 200, { status: 'live' }),
  'POST /v1/pet': (req, res) =>
    withBody(req, async (body) => {
      if (!isNewPet(body)) {
        return send(res, 400, isNewPet.errors);
      }
      const { pet, etag } = await inGroup(() => store.createPet(body));
      return send(res, 201, pet, { Location: `/v1/pet/${pet.id}`, ETag: etag });
    }),
  'PUT /v2/pet': (req, res) => {
    if (store.caller(req.headers.authorization) === undefined) {
      return send(res, 401);
    }
    return withBody(req, async (body) => {
      if (!isPetUpdate(body)) {
        return send(res, 400, isPetUpdate.errors);
      }
      const etag = await inGroup(() => store.updatePet(body));
      return etag ? send(res, 200, undefined, { ETag: etag }) : send(res, 404);
    });
  },
  'GET /v1/pet': (req, res, query) => {
    const limit = Number(query.get('limit'));
    const pets = store.pets(Number(query.get('cursor') ?? 0), limit);
    const next = pets.length === limit && `</v1/pet?limit=${limit}&cursor=${pets.at(-1).id}>; rel="next"`;
    send(res, 200, pets, next ? { Link: next } : {});
  },
  'POST /v2/user/createWithList': (req, res) =>
    withBody(req, async (body) => {
      if (!areUsers(body)) {
        return send(res, 400, areUsers.errors);
      }
      await store.createUsers(body);
      return send(res, 200);
    }),
  'GET /v2/user/login': async (req, res, query) => {
    const token = await store.logIn(query.get('username'), query.get('password'));
    return token ? send(res, 200, token) : send(res, 401);
  },
};

createServer((req, res) => {
  const [path, query] = req.url.split('?');
  const route = routes[`${req.method} ${path}`];
  if (route) {
    return route(req, res, query === undefined ? undefined : new URLSearchParams(query));
  }
  if (req.method === 'GET' && path.startsWith('/v1/pet/')) {
    const found = store.pet(Number(path.slice('/v1/pet/'.length)));
    if (!found) {
      return send(res, 404);
    }
    return req.headers['if-none-match'] === found.etag
      ? res.writeHead(304, { ETag: found.etag }).end()
      : send(res, 200, found.pet, { ETag: found.etag });
  }
  return req.method === 'GET' && path.startsWith('/v2/user/')
    ? ownUser(req, res, decodeURIComponent(path.slice('/v2/user/'.length)))
    : send(res, 404);
}).listen(process.env.PORT, '127.0.0.1');

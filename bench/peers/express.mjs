// Express 5, ajv and prepared statements.
import express from 'express';
import { areUsers, isNewPet, isPetUpdate } from './checks.mjs';
import { Store } from './store.mjs';

const store = new Store();
const app = express();
app.use(express.json({ limit: '1mb' }));

const checked = (isValid) => (req, res, next) =>
  isValid(req.body) ? next() : res.status(400).json({ errors: isValid.errors });

const bearer = (req, res, next) => {
  req.caller = store.caller(req.get('authorization'));
  return req.caller === undefined ? res.status(401).json({ title: 'Unauthorized' }) : next();
};
const notFound = (res) => res.status(404).json({ title: 'Not Found' });

app.get('/health/live', (req, res) => res.json({ status: 'live' }));

app.post('/v1/pet', checked(isNewPet), (req, res) => {
  const { pet, etag } = store.createPet(req.body);
  res.status(201).location(`/v1/pet/${pet.id}`).set('ETag', etag).json(pet);
});

app.put('/v2/pet', bearer, checked(isPetUpdate), (req, res) => {
  const etag = store.updatePet(req.body);
  return etag ? res.set('ETag', etag).end() : notFound(res);
});

app.get('/v1/pet/:id', (req, res) => {
  const found = store.pet(Number(req.params.id));
  return found ? res.set('ETag', found.etag).json(found.pet) : notFound(res);
});

app.get('/v1/pet', (req, res) => {
  const limit = Number(req.query.limit);
  const pets = store.pets(Number(req.query.cursor ?? 0), limit);
  if (pets.length === limit) {
    res.set('Link', `</v1/pet?limit=${limit}&cursor=${pets.at(-1).id}>; rel="next"`);
  }
  res.json(pets);
});

app.post('/v2/user/createWithList', checked(areUsers), async (req, res) => {
  await store.createUsers(req.body);
  res.end();
});

app.get('/v2/user/login', async (req, res) => {
  const token = await store.logIn(req.query.username, req.query.password);
  return token ? res.json(token) : res.status(401).json({ title: 'Unauthorized' });
});

app.get('/v2/user/:username', bearer, (req, res) => {
  const found = store.ownUser(req.caller, req.params.username);
  return found ? res.set('ETag', found.etag).json(found.user) : res.status(403).json({ title: 'Forbidden' });
});

app.listen(process.env.PORT, '127.0.0.1');

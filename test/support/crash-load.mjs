import { json } from './built-service.mjs';

/** 503 promises that nothing was stored; 504, or 502 of a balancer, nothing at all. */
const REFUSED = 503;
const UNKNOWN = [502, 504];

const ANSWERED_REPEATS = 50;

/**
 * Clients that write without pause, and the ledger of what they were promised.
 * A write without an answer stays in doubt: it may be stored or not, but not by half, and not twice.
 */
export class CrashLoad {
  /** Pet id → the versions it may have: the last acknowledged one, and those in doubt since. */
  pets = new Map();
  /** Names of pets that must not be stored. */
  refusedPets = new Set();
  /** Bulks by their prefix → their users, and how many of them may be stored. */
  bulks = new Map();
  /** Token → whether its session must be open; absent when a log-out is in doubt. */
  sessions = new Map();
  /** Creations with their keys, and what was answered to those that were acknowledged. */
  creations = [];
  acknowledged = 0;
  refused = 0;
  inDoubt = 0;
  /** Creations sent again, and how many of those in doubt turned out to be stored. */
  repeats = 0;
  lostAnswers = 0;
  /** Rows beyond the one that was asked for. */
  doubles = 0;
  dishonest = [];
  running = true;

  constructor(url, round, clients = 16) {
    this.url = url;
    this.round = round;
    this.done = this.start(clients);
  }

  async start(clients) {
    await undefined; // A class that extends this one has its members only then.
    await Promise.all(Array.from({ length: clients }, (_, client) => this.run(`${this.round}-${client}`)));
  }

  /** Ends the load, waiting for the answers that are still due. */
  stop() {
    this.running = false;
    return this.done;
  }

  async run(client) {
    const username = `${client}-user`;
    await this.bulk(username, [{ username, password: 'right' }]);
    const token = await this.logIn(username);
    for (let n = 0; this.running; n++) {
      const pet = await this.createPet(`${client}-${n}`);
      await this.bulk(
        `${client}-${n}`,
        ['a', 'b', 'c'].map((x) => ({ username: `${client}-${n}-${x}` })),
      );
      if (pet !== undefined && token !== undefined) {
        await this.updatePet(pet, `${client}-${n}-updated`, token);
      }
      if (n % 5 === 0) {
        await this.collide(`${client}-${n}-refused`, username);
        await this.logOut(await this.logIn(username));
      }
    }
  }

  async createPet(name) {
    const made = (pet) => this.pets.set(pet.id, [name]);
    const refused = () => this.refusedPets.add(name);
    const pet = await this.create({ path: '/v1/pet', body: { name }, key: name, expected: 201, made, refused });
    return pet?.id;
  }

  async updatePet(id, name, token) {
    const before = this.pets.get(id);
    this.pets.set(id, [...before, name]);
    const headers = { Authorization: `Bearer ${token}` };
    const options = { method: 'PUT', ...json({ id, name, photoUrls: [] }, headers) };
    if (await this.send('/v2/pet', options, 200, () => this.pets.set(id, before))) {
      this.pets.set(id, [name]);
    }
  }

  async bulk(prefix, users) {
    const bulk = { users: users.map(({ username }) => username), allowed: [0, users.length] };
    this.bulks.set(prefix, bulk);
    const made = () => (bulk.allowed = [users.length]);
    const refused = () => (bulk.allowed = [0]);
    await this.create({ path: '/v2/user/createWithList', body: users, key: prefix, expected: 200, made, refused });
  }

  /** A bulk of which one name is taken: 409, and none of the others is stored. */
  async collide(username, taken) {
    if (this.bulks.get(taken).allowed[0] > 0) {
      this.bulks.set(username, { users: [username], allowed: [0] });
      const options = { method: 'POST', ...json([{ username }, { username: taken }]) };
      await this.send('/v2/user/createWithList', options, 409);
    }
  }

  create(creation) {
    const { body, key } = creation;
    this.creations.push(creation);
    creation.options = { method: 'POST', ...json(body, { 'Idempotency-Key': key }) };
    return this.attempt(creation);
  }

  async attempt(creation) {
    const { path, expected, made, refused } = creation;
    const answer = await this.send(path, creation.options, expected, () => {
      if (!creation.isInDoubt) {
        creation.isRefused = true;
        refused();
      }
    });
    if (answer !== undefined) {
      creation.answer = answer;
      made(answer);
    } else if (!creation.isRefused) {
      creation.isInDoubt = true;
    }
    return answer;
  }

  /** What a client does that got no answer: it sends its creations again. So do some that got theirs. */
  async repeat(url) {
    const inDoubt = this.creations.filter(({ answer, isRefused }) => answer === undefined && !isRefused);
    const answered = this.creations.filter(({ answer }) => answer !== undefined).slice(-ANSWERED_REPEATS);
    await Promise.all([...inDoubt, ...answered].map((creation) => this.repeatOne(url, creation)));
  }

  async repeatOne(url, creation) {
    const { path, options, expected, key, made, answer: before } = creation;
    const answer = await fetch(url + path, options);
    const isReplayed = answer.headers.get('Idempotency-Replayed') === 'true';
    this.repeats += 1;
    if (answer.status !== expected) {
      this.dishonest.push(`${answer.status} to the repeat ${key}`);
      return;
    }
    creation.answer = bodyOf(await answer.text(), answer.headers.get('Content-Type'));
    if (before === undefined) {
      this.lostAnswers += isReplayed ? 1 : 0;
      made(creation.answer);
    } else if (!isReplayed || JSON.stringify(creation.answer) !== JSON.stringify(before)) {
      this.dishonest.push(`something else to the repeat ${key}`);
    }
  }

  async logIn(username) {
    const token = await this.send(`/v2/user/login?username=${username}&password=right`, {}, 200);
    if (token !== undefined) {
      this.sessions.set(token, true);
    }
    return token;
  }

  async logOut(token) {
    if (token !== undefined) {
      this.sessions.delete(token);
      const headers = { Authorization: `Bearer ${token}` };
      if (await this.send('/v2/user/logout', { headers }, 200)) {
        this.sessions.set(token, false);
      }
    }
  }

  /** The answer's body where it has the expected status, `true` for none; undefined when refused or in doubt. */
  async send(path, options, expected, refused = () => {}) {
    try {
      const { status, body } = await this.ask(path, options);
      if (status === expected) {
        this.acknowledged += 1;
        return body;
      }
      if (status === REFUSED) {
        this.refused += 1;
        refused();
      } else if (UNKNOWN.includes(status)) {
        this.inDoubt += 1;
      } else if (status !== 401) {
        // A client that could not be created or log in is refused with 401 later on.
        this.dishonest.push(`${path.split('?')[0]} ${status}`);
      }
    } catch {
      // The connection broke.
      this.inDoubt += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async ask(path, options) {
    const answer = await fetch(this.url + path, options);
    return { status: answer.status, body: bodyOf(await answer.text(), answer.headers.get('Content-Type')) };
  }

  /** Compares what was promised with what is stored; answers each broken promise. */
  async broken(database, url) {
    const broken = this.dishonest.map((answer) => `answered ${answer}`);
    const pets = await database.query(`SELECT id, name FROM pet WHERE name LIKE '${this.round}-%'`);
    const names = new Map(pets.map(({ id, name }) => [Number(id), name]));
    for (const [id, versions] of this.pets) {
      if (!versions.includes(names.get(id))) broken.push(`pet ${id} is ${names.get(id)}, not ${versions}`);
    }
    for (const { name } of pets) {
      if (this.refusedPets.has(name)) broken.push(`${name} is stored, though it was refused`);
    }
    const originals = pets.map(({ name }) => name.replace('-updated', ''));
    this.doubles = originals.length - new Set(originals).size;
    if (this.doubles > 0) broken.push(`${this.doubles} pets are stored twice`);

    const users = await database.query(`SELECT username FROM "user" WHERE username LIKE '${this.round}-%'`);
    const stored = new Set(users.map(({ username }) => username));
    for (const [prefix, { users: members, allowed }] of this.bulks) {
      const found = members.filter((username) => stored.has(username)).length;
      if (!allowed.includes(found)) broken.push(`bulk ${prefix} has ${found} users, not ${allowed.join(' or ')}`);
    }
    for (const [token, open] of this.sessions) {
      const options = { method: 'PUT', ...json({ id: 1 }, { Authorization: `Bearer ${token}` }) };
      const { status } = await fetch(`${url}/v2/pet`, options);
      if ((status !== 401) !== open) broken.push(`a session is ${open ? 'lost' : 'back'}`);
    }
    return broken;
  }
}

/** `true` for none; the text itself where it is not JSON, as a balancer's is. */
export function bodyOf(text, type) {
  return text === '' ? true : /json/.test(type ?? '') ? JSON.parse(text) : text;
}

import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { bodyOf, CrashLoad } from '../support/crash-load.mjs';
import { until } from './programs.mjs';

const CREATIONS = ['/v1/pet', '/v2/pet', '/v2/user/createWithList'];

/** Log-ins of one address take turns, and clients on the internet have one each. */
const AGENTS = Array.from(
  { length: 32 },
  (_, number) => new Agent({ keepAlive: true, localAddress: `127.0.2.${number + 1}` }),
);

/** Clients that send their creations again at once when they got no answer, and a clock at each answer. */
export class FailoverLoad extends CrashLoad {
  answers = [];
  turn = 0;

  async ask(path, options) {
    const askedAt = performance.now();
    let status;
    try {
      const answer = await this.exchange(path, options);
      status = answer.statusCode;
      return { status, body: bodyOf(await text(answer), answer.headers['content-type']) };
    } finally {
      this.answers.push({ path: path.split('?')[0], status, askedAt, answeredAt: performance.now() });
    }
  }

  exchange(path, { method, headers, body }) {
    const agent = AGENTS[this.turn++ % AGENTS.length];
    return new Promise((answered, failed) => {
      request(this.url + path, { method, headers, agent }, answered)
        .once('error', failed)
        .end(body);
    });
  }

  async create(creation) {
    let answer = await super.create(creation);
    while (answer === undefined && !creation.isRefused && this.running) {
      answer = await this.attempt(creation);
    }
    return answer;
  }

  /** Milliseconds from then until a write is acknowledged. */
  async firstWriteAfter(then) {
    const isIt = ({ path, status, answeredAt }) => answeredAt > then && status < 300 && CREATIONS.includes(path);
    const first = await until('a write is acknowledged', 60, () => this.answers.find(isIt));
    return first.answeredAt - then;
  }

  get slowest() {
    return this.answers.reduce((worst, answer) => (took(answer) > took(worst) ? answer : worst));
  }

  /** How many answers of each status; none is a connection that broke. */
  get statuses() {
    const counts = {};
    this.answers.forEach(({ status = 'none' }) => (counts[status] = (counts[status] ?? 0) + 1));
    return counts;
  }
}

export const took = ({ askedAt, answeredAt }) => answeredAt - askedAt;

import { Overloaded } from '../common/problem';
import { Gate } from './gate';
import { Rounds } from '../common/rounds';
import { Shares } from '../common/shares';

/** A flood of log-ins leaves one turn in ten to bulk requests. */
const MOST_LOG_INS_IN_A_ROW = 9;
/** Log-ins of one account that may be under way; half of them from one network. */
const MOST_OF_AN_ACCOUNT = 128;
/** More attempts than cores are under way, so that cores hash while other attempts ask the database. */
const AHEAD = 2;
const LONGEST_RETRY_SECONDS = 60;

interface Turn {
  begin: () => void;
  refuse: (reason: unknown) => void;
}

/** The turns that one request still waits for. */
interface Batch {
  network: string;
  turns: Turn[];
}

/** The log-ins of one account: one by one, so that an owner's own do not add up to failures; few of them. */
interface Account {
  gate: Gate;
  shares: Shares;
}

/** Who wants to log in, from which network. */
export interface Attempt {
  account: string;
  network: string;
}

/**
 * Divides the cores among those who need passwords hashed. Turns go round networks, and in a network round accounts or
 * requests, so that whoever asks for much waits for itself alone. Log-ins come first, but for every tenth turn. A client
 * that hangs up gives up the turns that it waits for. Throws Overloaded to whoever has too much under way; its
 * Retry-After goes by the time that a turn takes.
 */
export class HashQueue {
  private readonly accounts = new Map<string, Account>();
  private readonly attempts: Gate;
  private readonly logInShares: Shares;
  private readonly bulkShares: Shares;
  private readonly logIns = new Rounds<Turn>();
  private readonly bulks = new Rounds<Batch>();
  private running = 0;
  private logInsInARow = 0;
  private msPerTurn = 10;

  /** How many log-ins, and hashes of bulk requests, may be under way; how many hashes run at a time. */
  constructor(
    limits: { logIns: number; bulk: number },
    private readonly cores: () => number,
  ) {
    this.attempts = new Gate(cores() + AHEAD);
    this.logInShares = new Shares(limits.logIns);
    this.bulkShares = new Shares(limits.bulk);
  }

  /** How many log-ins and hashes of bulk requests are under way. */
  get underWay(): { logIns: number; bulk: number } {
    return { logIns: this.logInShares.size, bulk: this.bulkShares.size };
  }

  /** Runs a whole log-in attempt in its turn; of one account, one at a time. What it hashes, it hashes in `hash`. */
  async logIn<T>({ account, network }: Attempt, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const own = this.accounts.get(account) ?? { gate: new Gate(1), shares: new Shares(MOST_OF_AN_ACCOUNT) };
    if (!own.shares.take(network)) {
      throw this.overloaded(own.shares.size);
    }
    if (!this.logInShares.take(network)) {
      own.shares.release(network);
      throw this.overloaded(this.logInShares.size);
    }
    this.accounts.set(account, own);
    try {
      return await own.gate.run(network, () => this.attempts.run(network, attempt, signal), signal);
    } finally {
      this.logInShares.release(network);
      own.shares.release(network);
      if (own.shares.size === 0) {
        this.accounts.delete(account);
      }
    }
  }

  /** One hash of a log-in attempt. */
  async hash<T>(network: string, work: () => Promise<T>): Promise<T> {
    const turn = new Promise<void>((begin, refuse) => this.logIns.push(network, { begin, refuse }));
    this.serve();
    await turn;
    return this.run(work);
  }

  /** Runs the hashes of a request and answers them in order. A request that finds no other is accepted whatever its size. */
  async bulk<T>(network: string, works: (() => Promise<T>)[], signal?: AbortSignal): Promise<T[]> {
    signal?.throwIfAborted();
    if (this.bulkShares.size === 0) {
      this.bulkShares.hold(network, works.length);
    } else if (!this.bulkShares.take(network, works.length)) {
      throw this.overloaded(this.bulkShares.size + works.length);
    }
    const batch: Batch = { network, turns: [] };
    const results = works.map(async (work) => {
      try {
        await new Promise<void>((begin, refuse) => batch.turns.push({ begin, refuse }));
        return await this.run(work);
      } finally {
        this.bulkShares.release(network);
      }
    });
    signal?.addEventListener('abort', () => batch.turns.splice(0).forEach(({ refuse }) => refuse(signal.reason)));
    this.bulks.push(network, batch);
    this.serve();
    return Promise.all(results);
  }

  private overloaded(turns: number): Overloaded {
    const seconds = Math.ceil((turns * this.msPerTurn) / this.cores() / 1_000);
    return new Overloaded(Math.min(seconds, LONGEST_RETRY_SECONDS));
  }

  private async run<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.msPerTurn += (performance.now() - began - this.msPerTurn) / 16;
      this.running -= 1;
      this.serve();
    }
  }

  private serve(): void {
    const cores = this.cores();
    while (this.running < cores) {
      const turn = this.nextTurn();
      if (!turn) {
        return;
      }
      this.running += 1;
      turn.begin();
    }
  }

  private nextTurn(): Turn | undefined {
    const bulk = this.logInsInARow >= MOST_LOG_INS_IN_A_ROW ? this.nextOfBulk() : undefined;
    const logIn = bulk ? undefined : this.logIns.shift();
    this.logInsInARow = logIn ? this.logInsInARow + 1 : 0;
    return bulk ?? logIn ?? this.nextOfBulk();
  }

  private nextOfBulk(): Turn | undefined {
    for (let batch = this.bulks.shift(); batch; batch = this.bulks.shift()) {
      const turn = batch.turns.shift();
      if (batch.turns.length > 0) {
        this.bulks.push(batch.network, batch);
      }
      if (turn) {
        return turn;
      }
    }
    return undefined;
  }
}

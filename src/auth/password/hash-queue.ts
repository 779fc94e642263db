import { Overloaded } from '../../platform/common/problem';
import { FairShareLimiter, RoundRobinQueue, Semaphore, type Queue } from '../../platform/scheduling';

/** A flood of log-ins leaves one hash in ten to bulk requests. */
const MOST_LOG_INS_IN_A_ROW = 9;
/** Log-ins of one account that may be under way; half of them from one network. */
const MOST_OF_AN_ACCOUNT = 128;
/** More log-ins than cores are under way, so that cores hash while other log-ins ask the database. */
const AHEAD = 2;
const LONGEST_RETRY_SECONDS = 60;

/** The log-ins of one account: one by one, so that an owner's own do not add up to failures; few of them. */
interface Account {
  semaphore: Semaphore;
  limiter: FairShareLimiter;
}

/**
 * Divides the cores among those who need passwords hashed. Networks take turns, and in a network accounts or requests,
 * so that whoever asks for much waits for itself alone. Log-ins come first, but for every tenth hash. A client that
 * hangs up waits no longer. Throws Overloaded to whoever has too much under way; its Retry-After goes by the time that
 * a hash takes.
 */
export class HashQueue {
  private readonly accounts = new Map<string, Account>();
  private readonly logIns: Semaphore;
  private readonly hashes: Semaphore<Waiting>;
  private readonly logInLimiter: FairShareLimiter;
  private readonly bulkLimiter: FairShareLimiter;
  private msPerHash = 10;

  /** How many log-ins, and hashes of bulk requests, may be under way; how many hashes run at a time. */
  constructor(
    limits: { logIns: number; bulk: number },
    private readonly cores: () => number,
  ) {
    this.logIns = new Semaphore(() => cores() + AHEAD);
    this.hashes = new Semaphore(cores, new LogInsFirst());
    this.logInLimiter = new FairShareLimiter(limits.logIns);
    this.bulkLimiter = new FairShareLimiter(limits.bulk);
  }

  /** How many log-ins and hashes of bulk requests are under way. */
  get underWay(): { logIns: number; bulk: number } {
    return { logIns: this.logInLimiter.size, bulk: this.bulkLimiter.size };
  }

  /** Runs a whole log-in; of one account, one at a time. What it hashes, it hashes in `hash`. */
  async logIn<T>(account: string, network: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { semaphore, limiter } = this.accounts.get(account) ?? {
      semaphore: new Semaphore(() => 1),
      limiter: new FairShareLimiter(MOST_OF_AN_ACCOUNT),
    };
    if (!limiter.take(network)) {
      throw this.overloaded(limiter.size);
    }
    if (!this.logInLimiter.take(network)) {
      limiter.release(network);
      throw this.overloaded(this.logInLimiter.size);
    }
    this.accounts.set(account, { semaphore, limiter });
    try {
      return await semaphore.run(network, () => this.logIns.run(network, work, signal), signal);
    } finally {
      this.logInLimiter.release(network);
      limiter.release(network);
      if (limiter.size === 0) {
        this.accounts.delete(account);
      }
    }
  }

  /** One hash of a log-in. */
  hash<T>(network: string, work: () => Promise<T>): Promise<T> {
    return this.hashes.run({ kind: 'logIn', network }, () => this.measured(work));
  }

  /**
   * Runs the hashes of a request and answers them in order. A request that finds no other is accepted whatever its
   * size.
   */
  async bulk<T>(network: string, works: (() => Promise<T>)[], signal?: AbortSignal): Promise<T[]> {
    signal?.throwIfAborted();
    if (this.bulkLimiter.size === 0) {
      this.bulkLimiter.hold(network, works.length);
    } else if (!this.bulkLimiter.take(network, works.length)) {
      throw this.overloaded(this.bulkLimiter.size + works.length);
    }
    const begun: Promise<T>[] = [];
    try {
      // One waits at a time: so the requests of a network take turns.
      for (const work of works) {
        await this.hashes.acquire({ kind: 'bulk', network }, signal);
        const hash = this.measured(work).finally(() => {
          this.bulkLimiter.release(network);
          this.hashes.release();
        });
        hash.catch(() => undefined); // the caller hears of it below
        begun.push(hash);
      }
    } finally {
      this.bulkLimiter.release(network, works.length - begun.length);
    }
    return Promise.all(begun);
  }

  private overloaded(hashes: number): Overloaded {
    const seconds = Math.ceil((hashes * this.msPerHash) / this.cores() / 1_000);
    return new Overloaded(Math.min(seconds, LONGEST_RETRY_SECONDS));
  }

  private async measured<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.msPerHash += (performance.now() - began - this.msPerHash) / 16;
    }
  }
}

interface Waiting {
  kind: 'logIn' | 'bulk';
  network: string;
}

/** Serves log-ins before bulk requests, but for every tenth. */
class LogInsFirst implements Queue<Waiting, () => void> {
  private readonly queues = { logIn: new RoundRobinQueue<() => void>(), bulk: new RoundRobinQueue<() => void>() };
  private logInsInARow = 0;

  push({ kind, network }: Waiting, enter: () => void): void {
    this.queues[kind].push(network, enter);
  }

  remove({ kind, network }: Waiting, enter: () => void): void {
    this.queues[kind].remove(network, enter);
  }

  shift(): (() => void) | undefined {
    const { logIn, bulk } = this.queues;
    const isLogIn = !logIn.isEmpty && (bulk.isEmpty || this.logInsInARow < MOST_LOG_INS_IN_A_ROW);
    this.logInsInARow = isLogIn ? this.logInsInARow + 1 : 0;
    return (isLogIn ? logIn : bulk).shift();
  }
}

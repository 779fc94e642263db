import { availableParallelism } from 'node:os';
import { Overloaded } from '../common/problem';

/** A flood of log-ins leaves one turn in ten to bulk requests. */
const MOST_LOG_INS_IN_A_ROW = 9;

/** What one request still waits for. */
interface Line {
  turns: Turn[];
  /** Of lines for the same account, one is served at a time. */
  account?: string;
}

interface Turn {
  begin: () => void;
  refuse: (reason: unknown) => void;
}

/**
 * Lets password hashing have all cores but one, divided among the processes of this machine, so that everything else goes on meanwhile. Log-ins come first, one by
 * one for each account; bulk requests share what is left fairly: each gets one turn, then it is the next one's.
 * A client that hangs up gives up the turns that it waits for. Throws Overloaded, whose Retry-After goes by the time
 * that a turn takes.
 */
export class HashQueue {
  private readonly places: number;
  private readonly logIns: Line[] = [];
  private readonly bulks: Line[] = [];
  private readonly served = new Set<string | undefined>();
  private running = 0;
  private logInsInARow = 0;
  private msPerTurn = 10;

  /** How many log-ins, and how many hashes of bulk requests, may wait; of how many processes this is one. */
  constructor(
    private readonly limits: { logIns: number; bulk: number },
    processes: number,
  ) {
    this.places = Math.max(1, Math.floor((availableParallelism() - 1) / processes));
  }

  /** How many turns are waited for. */
  get waiting(): { logIns: number; bulk: number } {
    return { logIns: turnsIn(this.logIns), bulk: turnsIn(this.bulks) };
  }

  async logIn<T>(account: string, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.refuseBeyond(this.limits.logIns, this.waiting.logIns + 1);
    const [result] = await this.inTurn(this.logIns, [attempt], signal, account);
    return result!;
  }

  /** A request that finds no other waiting is let in whatever its size. */
  async bulk<T>(hashes: (() => Promise<T>)[], signal?: AbortSignal): Promise<T[]> {
    const { bulk } = this.waiting;
    this.refuseBeyond(this.limits.bulk, bulk === 0 ? 0 : bulk + hashes.length);
    return this.inTurn(this.bulks, hashes, signal);
  }

  private refuseBeyond(limit: number, wanted: number): void {
    if (wanted > limit) {
      throw new Overloaded(Math.ceil((wanted * this.msPerTurn) / this.places / 1_000));
    }
  }

  private inTurn<T>(lines: Line[], works: (() => Promise<T>)[], signal?: AbortSignal, account?: string): Promise<T[]> {
    signal?.throwIfAborted();
    const line: Line = { turns: [], account };
    signal?.addEventListener('abort', () => line.turns.splice(0).forEach(({ refuse }) => refuse(signal.reason)));
    const results = works.map((work) => this.run(line, work));
    lines.push(line);
    this.serve();
    return Promise.all(results);
  }

  private async run<T>(line: Line, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin, refuse) => line.turns.push({ begin, refuse }));
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.msPerTurn += (performance.now() - began - this.msPerTurn) / 16;
      this.running -= 1;
      this.served.delete(line.account);
      this.serve();
    }
  }

  private serve(): void {
    while (this.running < this.places) {
      const turn = this.nextTurn();
      if (!turn) {
        return;
      }
      this.running += 1;
      turn.begin();
    }
  }

  private nextTurn(): Turn | undefined {
    const bulkIsDue = this.logInsInARow >= MOST_LOG_INS_IN_A_ROW && this.waiting.bulk > 0;
    const logIn = bulkIsDue ? undefined : this.next(this.logIns);
    this.logInsInARow = logIn ? this.logInsInARow + 1 : 0;
    return logIn ?? this.next(this.bulks);
  }

  /** Takes a turn from the first line that may be served, and sends that line to the end. */
  private next(lines: Line[]): Turn | undefined {
    const index = lines.findIndex(({ turns, account }) => turns.length > 0 && !this.served.has(account));
    const [line] = index < 0 ? [] : lines.splice(index, 1);
    if (!line) {
      return undefined;
    }
    const turn = line.turns.shift();
    if (line.account !== undefined) {
      this.served.add(line.account);
    }
    if (line.turns.length > 0) {
      lines.push(line);
    }
    return turn;
  }
}

const turnsIn = (lines: Line[]) => lines.reduce((sum, { turns }) => sum + turns.length, 0);

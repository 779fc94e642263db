// A service in numbers: requests that queue for processes, cores and the flush of the log, event by event.
import { seeded } from '../../test/support/seeded.mjs';

/** What happens when; the clock jumps from one event to the next. */
class Clock {
  now = 0;
  #heap = [];

  after(ms, run) {
    const heap = this.#heap;
    let at = heap.push({ at: this.now + ms, run }) - 1;
    while (at > 0 && heap[(at - 1) >> 1].at > heap[at].at) {
      const parent = (at - 1) >> 1;
      [heap[at], heap[parent]] = [heap[parent], heap[at]];
      at = parent;
    }
  }

  runUntil(end) {
    while (this.#heap.length > 0 && this.#heap[0].at <= end) {
      const { at, run } = this.#next();
      this.now = at;
      run();
    }
  }

  #next() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length > 0) {
      heap[0] = last;
      for (let at = 0; ;) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        const least = [left, right].reduce((a, b) => (b < heap.length && heap[b].at < heap[a].at ? b : a), at);
        if (least === at) break;
        [heap[at], heap[least]] = [heap[least], heap[at]];
        at = least;
      }
    }
    return first;
  }
}

/** So many at once; the others wait in turn. */
class Places {
  #waiting = [];
  #head = 0;

  constructor(free) {
    this.free = free;
  }

  take(run) {
    if (this.free > 0) {
      this.free -= 1;
      run();
    } else {
      this.#waiting.push(run);
    }
  }

  leave() {
    if (this.#head < this.#waiting.length) {
      const next = this.#waiting[this.#head++];
      if (this.#head > 10_000) {
        this.#waiting.splice(0, this.#head);
        this.#head = 0;
      }
      next();
    } else {
      this.free += 1;
    }
  }
}

/**
 * `machine`: how many processes; how many cores for all (`cores`), or for the service and the database apart
 * (`serviceCores`, `databaseCores`); how long a flush of the log takes, which those that wait for it share.
 * `mix`: operations with their share, milliseconds of CPU in client, service and database, and whether they write.
 * `clients` ask again when they are answered; or requests come at a `rate` a second, as they please.
 * Answers rate, and latencies, of the last four fifths of `ms`.
 */
export function simulate({ machine, mix, clients, rate, ms = 20_000, seed = 1 }) {
  const random = seeded(seed);
  const clock = new Clock();
  const shared = machine.cores && new Places(machine.cores);
  const serviceCores = shared ?? new Places(machine.serviceCores);
  const databaseCores = shared ?? new Places(machine.databaseCores);
  const processes = Array.from({ length: machine.processes }, () => new Places(1));
  const latencies = [];
  let turn = 0;

  const spread = (mean) => -mean * Math.log(1 - random());
  const work = (cores, mean, then) =>
    mean > 0
      ? cores.take(() =>
          clock.after(spread(mean), () => {
            cores.leave();
            then();
          }),
        )
      : then();

  let waitingForFlush = [];
  let isFlushing = false;
  const flush = (then) => {
    waitingForFlush.push(then);
    if (!isFlushing) startFlush();
  };
  const startFlush = () => {
    isFlushing = true;
    const group = waitingForFlush;
    waitingForFlush = [];
    clock.after(machine.flushMs, () => {
      isFlushing = false;
      group.forEach((then) => then());
      if (waitingForFlush.length > 0 && !isFlushing) startFlush();
    });
  };

  const inProcess = (process, mean, then) =>
    process.take(() =>
      work(serviceCores, mean, () => {
        process.leave();
        then();
      }),
    );

  const pick = () => {
    let at = random() * mix.reduce((sum, { share }) => sum + share, 0);
    return mix.find(({ share }) => (at -= share) < 0) ?? mix.at(-1);
  };

  const request = (then) => {
    const began = clock.now;
    const { client, service, database, isWrite, beside = 0 } = pick();
    const process = processes[turn++ % processes.length];
    const answered = () => {
      if (clock.now > ms / 5) latencies.push(clock.now - began);
      then?.();
    };
    work(shared ?? { take: (run) => run(), leave: () => undefined }, client, () =>
      inProcess(process, service / 2, () =>
        // Hashing runs beside the event loop, on any core.
        work(serviceCores, beside, () =>
          work(databaseCores, database, () => {
            const back = () => inProcess(process, service / 2, answered);
            if (isWrite) flush(back);
            else back();
          }),
        ),
      ),
    );
  };

  if (clients) {
    const loop = () => request(loop);
    for (let n = 0; n < clients; n++) loop();
  } else {
    const arrive = () => {
      request();
      clock.after(spread(1_000 / rate), arrive);
    };
    arrive();
  }
  clock.runUntil(ms);
  latencies.sort((a, b) => a - b);
  const quantile = (q) => latencies[Math.floor(latencies.length * q)];
  const mean = latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length;
  return { rate: latencies.length / (ms * 0.8e-3), mean, p50: quantile(0.5), p99: quantile(0.99) };
}

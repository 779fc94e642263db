import type { EntityManager } from 'typeorm';
import { Ambient } from '../common/ambient';
import type { BoundStatement } from './statement';
import { UnitOfWork, type Lane, type Work } from './unit-of-work';

/** A unit that is being run, or was. */
interface Unit {
  manager: EntityManager;
  writes: boolean;
  state: 'open' | 'done' | 'failed';
  /** What made a unit within it fail, so that it must not be stored either. */
  fault?: { reason: unknown };
}

/** A unit awaited something other than its manager, which is a mistake in the program: its text says which unit. */
export class UnitStuck extends Error {
  constructor(work: Work<unknown>, limitMs: number) {
    super(
      `A unit of work was given up after ${limitMs} ms, in which others had to wait for it; ` +
        `it may await nothing but its manager: ${work.toString().slice(0, 300)}`,
    );
  }
}

/**
 * Lets units join: one that is begun while another is open, by however deep a call, becomes part of it, on both
 * databases alike. And gives up a unit that does not come to its end.
 */
export class JoiningUnitOfWork extends UnitOfWork {
  private readonly open: Ambient<Unit>;

  constructor(
    private readonly database: UnitOfWork,
    /** Milliseconds that a unit may last. */
    private readonly limitMs: number,
  ) {
    super();
    this.open = new Ambient(limitMs);
  }

  async read<T>(work: Work<T>, lane?: Exclude<Lane, 'urgent'>): Promise<T> {
    const outer = this.openUnit();
    return outer ? work(outer.manager) : this.database.read((manager) => this.run(work, manager, false), lane);
  }

  async readLagging<T>(work: Work<T>): Promise<T> {
    const outer = this.openUnit();
    return outer ? work(outer.manager) : this.database.readLagging((manager) => this.run(work, manager, false));
  }

  async write<T>(work: Work<T>, lane?: Lane): Promise<T> {
    const outer = this.openUnit();
    return outer ? join(outer, work) : this.database.write((manager) => this.run(work, manager, true), lane);
  }

  override async readOne<Row>(statement: BoundStatement<Row>, lane?: Exclude<Lane, 'urgent'>): Promise<Row[]> {
    const outer = this.openUnit();
    return outer ? statement.rows(outer.manager) : this.database.readOne(statement, lane);
  }

  async writeOne<Row>(statement: BoundStatement<Row>): Promise<Row[]> {
    const outer = this.openUnit();
    return outer ? join(outer, (manager) => statement.rows(manager)) : this.database.writeOne(statement);
  }

  get metrics() {
    return this.database.metrics;
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.onApplicationShutdown();
  }

  private openUnit(): Unit | undefined {
    const unit = this.open.value;
    if (unit?.state === 'failed') {
      throw new Error('The unit that this belongs to has failed and was rolled back.');
    }
    return unit?.state === 'open' ? unit : undefined;
  }

  private async run<T>(work: Work<T>, manager: EntityManager, writes: boolean): Promise<T> {
    const unit: Unit = { manager, writes, state: 'open' };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new UnitStuck(work, this.limitMs)), this.limitMs);
    });
    try {
      const value = await Promise.race([this.open.run(unit, () => whole(unit, work)), late]);
      unit.state = 'done';
      return value;
    } catch (error) {
      unit.state = 'failed';
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

async function whole<T>(unit: Unit, work: Work<T>): Promise<T> {
  const value = await work(unit.manager);
  if (unit.fault) {
    throw unit.fault.reason;
  }
  return value;
}

async function join<T>(outer: Unit, work: Work<T>): Promise<T> {
  if (!outer.writes) {
    throw new Error('A unit that reads cannot write: it may not be run on the primary, nor in a transaction.');
  }
  try {
    return await work(outer.manager);
  } catch (reason) {
    outer.fault ??= { reason };
    throw reason;
  }
}

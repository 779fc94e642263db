import type { AsyncContext } from '../common/async-context';
import type { EngineRunner } from './engine';

/** A unit that is being run, or was. */
export interface Unit {
  runner: EngineRunner;
  writes: boolean;
  /** What subscribers keep from one event to the next: `queryRunner.data` of all its runners. */
  data: object;
  state: 'open' | 'done' | 'failed';
  /** What made a unit within it fail, so that it must not be stored either. */
  fault?: { reason: unknown };
}

/**
 * A unit, or a nested transaction in it (a savepoint). While a nested one is open, what is asked for outside it waits:
 * a rollback to the savepoint would undo it, too.
 */
export class Scope {
  private nested: Promise<unknown> | undefined;

  constructor(
    private readonly context: AsyncContext<Scope>,
    readonly unit: Unit,
    private readonly outer?: Scope,
  ) {}

  /** Runs a transaction in this one, after those that are open. */
  async nest<T>(work: () => Promise<T>): Promise<T> {
    while (this.isBusy) {
      await this.nested;
    }
    const running = this.context.run(new Scope(this.context, this.unit, this), work);
    const ended = running.catch(() => undefined);
    this.nested = ended;
    try {
      return await running;
    } finally {
      this.nested = undefined;
    }
  }

  /** Whether something has to wait here. */
  get isBusy(): boolean {
    return this.nested !== undefined && !this.context.value?.isWithin(this);
  }

  async untilFree(): Promise<void> {
    while (this.isBusy) {
      await this.nested;
    }
  }

  private isWithin(scope: Scope): boolean {
    return this.outer === scope || (this.outer?.isWithin(scope) ?? false);
  }
}

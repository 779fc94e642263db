import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A value that whatever is called within `run` can ask for, however deep. It is an AsyncLocalStorage that is switched
 * on only while `run` works: on Node 20, one that is on makes every promise of the process dearer.
 */
export class AsyncContext<T> {
  private readonly storage = new AsyncLocalStorage<T>();
  private within = 0;

  /** After a failure it stays on for `lingerMs`: what the failed work has left running still finds its value. */
  constructor(private readonly lingerMs = 0) {}

  get value(): T | undefined {
    return this.storage.getStore();
  }

  async run<R>(value: T, work: () => Promise<R>): Promise<R> {
    this.within += 1;
    try {
      const result = await this.storage.run(value, work);
      this.leave();
      return result;
    } catch (error) {
      setTimeout(() => this.leave(), this.lingerMs).unref();
      throw error;
    }
  }

  private leave(): void {
    this.within -= 1;
    if (this.within === 0) {
      this.storage.disable();
    }
  }
}

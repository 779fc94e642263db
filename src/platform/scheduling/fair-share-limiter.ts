/**
 * Bounds what is under way so that nobody fills it. A key may have as much as is left free: one alone may have half,
 * and leaves the other half to whoever comes (dynamic thresholds: Choudhury and Hahne, 1998).
 */
export class FairShareLimiter {
  private readonly held = new Map<string, number>();
  private total = 0;

  constructor(private readonly limit: number) {}

  get size(): number {
    return this.total;
  }

  /** Whether the key may have so much more. */
  mayTake(key: string, wanted = 1): boolean {
    const own = (this.held.get(key) ?? 0) + wanted;
    const total = this.total + wanted;
    return total <= this.limit && own <= Math.max(1, this.limit - total);
  }

  /** As mayTake; if so, the key holds it until `release`. */
  take(key: string, wanted = 1): boolean {
    const may = this.mayTake(key, wanted);
    if (may) {
      this.hold(key, wanted);
    }
    return may;
  }

  /** Lets the key have it, whatever the limit. */
  hold(key: string, wanted: number): void {
    this.held.set(key, (this.held.get(key) ?? 0) + wanted);
    this.total += wanted;
  }

  release(key: string, count = 1): void {
    const rest = this.held.get(key)! - count;
    this.total -= count;
    if (rest > 0) {
      this.held.set(key, rest);
    } else {
      this.held.delete(key);
    }
  }
}

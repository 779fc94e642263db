import { IdempotentAnswer } from './idempotent-answer.entity';

/** Answers that are kept for those who repeat a creation under an Idempotency-Key. */
export { CurrentAttempt, type Attempt } from './attempt';
export { IdempotencyModule } from './idempotency.module';
export { IdempotencyStore, type Write } from './idempotency-store';

export const idempotencyEntities = [IdempotentAnswer];

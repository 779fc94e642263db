import { IdempotentAnswer } from './idempotent-answer.entity';

/** Answers that are kept for those who repeat a creation under an Idempotency-Key. */
export { IdempotencyInterceptor } from './idempotency.interceptor';
export { IdempotencyModule } from './idempotency.module';
export { Repeats, type Write } from './repeats';

export const idempotencyEntities = [IdempotentAnswer];

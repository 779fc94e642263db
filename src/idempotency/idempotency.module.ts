import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { Repeats } from './repeats';

/** Every module can inject Repeats unasked. */
@Global()
@Module({
  providers: [Repeats, { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor }],
  exports: [Repeats],
})
export class IdempotencyModule {}

import { Global, Module } from '@nestjs/common';
import { Repeats } from './repeats';

/** Every module can inject Repeats unasked. */
@Global()
@Module({
  providers: [Repeats],
  exports: [Repeats],
})
export class IdempotencyModule {}

import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotentAnswer } from './idempotent-answer.entity';
import { IdempotencyStore } from './idempotency-store';

/** Every module can inject IdempotencyStore without an import. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([IdempotentAnswer])],
  providers: [IdempotencyStore],
  exports: [IdempotencyStore],
})
export class IdempotencyModule {}

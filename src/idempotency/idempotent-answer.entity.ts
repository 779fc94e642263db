import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { int64Column } from '../database';

/** What a request with an Idempotency-Key made, kept for those who repeat it. */
@Entity('idempotent_answer')
export class IdempotentAnswer {
  /** SHA-256 of the operation, the caller and the client's key. */
  @PrimaryColumn({ type: 'text' })
  key: string;

  /** SHA-256 of the body without its secrets, and of the client's key, which stands nowhere in clear. */
  @Column({ type: 'text' })
  fingerprint: string;

  /** JSON; null once the thing that was made must be forgotten. */
  @Column({ type: 'text', nullable: true })
  value: string | null;

  /** What the value tells of, as in `user 7`; null where it tells of nobody. */
  @Index('idempotent_answer_about')
  @Column({ type: 'text', nullable: true })
  about: string | null;

  @Index('idempotent_answer_created_at')
  @Column({ name: 'created_at', ...int64Column })
  createdAt: number;
}

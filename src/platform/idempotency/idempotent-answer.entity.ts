import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { indexedText, int64Column } from '../database';

/** What a request with an Idempotency-Key made, kept for those who repeat it. */
@Entity('idempotent_answer')
@Index('idempotent_answer_network', ['network', 'createdAt', 'key'])
export class IdempotentAnswer {
  /** SHA-256 of the operation, the caller and the client's key. */
  @PrimaryColumn(indexedText)
  key: string;

  /** SHA-256 of what was asked for without its secrets, and of the client's key, which stands nowhere in clear. */
  @Column({ type: 'text' })
  fingerprint: string;

  /** JSON; null once the thing that was made must be forgotten. */
  @Column({ type: 'text', nullable: true })
  value: string | null;

  /** Whom the value is about, as in `user 7`; null where it is about nobody. */
  @Index('idempotent_answer_about')
  @Column({ ...indexedText, nullable: true })
  about: string | null;

  /** SHA-256 of the network that it came from: each has a share of the rows. */
  @Column({ ...indexedText, default: '' })
  network: string;

  @Index('idempotent_answer_created_at')
  @Column({ name: 'created_at', ...int64Column })
  createdAt: number;
}

import { Column, Entity, Generated, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../common/json';
import { int64Column } from '../database';

/** A log-in that has not ended. The token itself is nowhere: only its SHA-256. */
@Entity('session')
@Index('session_user_id', ['userId', 'id'])
export class Session {
  /** The order in which sessions began, whatever the clocks said. */
  @PrimaryColumn(int64Column)
  @Generated('increment')
  id: Int64;

  @Index('session_token_hash', { unique: true })
  @Column({ name: 'token_hash', type: 'text' })
  tokenHash: string;

  @Column({ name: 'user_id', ...int64Column })
  userId: Int64;

  @Column({ name: 'last_used_at', ...int64Column })
  lastUsedAt: number;

  @Index('session_expires_at')
  @Column({ name: 'expires_at', ...int64Column })
  expiresAt: number;
}

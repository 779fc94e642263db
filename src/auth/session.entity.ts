import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../platform/common/json';
import { indexedText, int64Column } from '../platform/database';

/** A log-in that has not ended. The token itself is nowhere: only its SHA-256. */
@Entity('session')
@Index('session_user_id', ['userId', 'nth'])
export class Session {
  @PrimaryColumn({ name: 'token_hash', ...indexedText })
  tokenHash: string;

  @Column({ name: 'user_id', ...int64Column })
  userId: Int64;

  /** The order in which the user's sessions began, whatever the clocks said. */
  @Column(int64Column)
  nth: number;

  @Column({ name: 'last_used_at', ...int64Column })
  lastUsedAt: number;

  @Index('session_expires_at')
  @Column({ name: 'expires_at', ...int64Column })
  expiresAt: number;
}

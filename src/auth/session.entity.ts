import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { int64Column } from '../database';

/** A log-in that has not ended. The token itself is nowhere: only its SHA-256. */
@Entity('session')
@Index('session_subject', ['subject', 'createdAt'])
export class Session {
  @PrimaryColumn({ name: 'token_hash', type: 'text' })
  tokenHash: string;

  @Column({ type: 'text' })
  subject: string;

  @Column({ name: 'created_at', ...int64Column })
  createdAt: number;

  @Column({ name: 'last_used_at', ...int64Column })
  lastUsedAt: number;

  @Index('session_expires_at')
  @Column({ name: 'expires_at', ...int64Column })
  expiresAt: number;
}

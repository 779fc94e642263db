import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../platform/common/json';
import { indexedText, int64Column } from '../platform/database';

/** A browser or program from which a user has logged in, known by the SHA-256 of the cookie that it was given. */
@Entity('device')
@Index('device_user_id', ['userId', 'returned', 'expiresAt'])
export class Device {
  @PrimaryColumn({ name: 'token_hash', ...indexedText })
  tokenHash: string;

  @Column({ name: 'user_id', ...int64Column })
  userId: Int64;

  /** Whether it has shown its cookie; programs that keep no cookies never do. */
  @Column({ type: 'boolean' })
  returned: boolean;

  /** A year after it was last seen. */
  @Index('device_expires_at')
  @Column({ name: 'expires_at', ...int64Column })
  expiresAt: number;
}

import { Column, Entity, Generated, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../common/json';
import { int64Column } from '../database';

/** A browser or program from which a user has logged in, known by the SHA-256 of the cookie that it was given. */
@Entity('device')
@Index('device_user_id', ['userId', 'returned', 'id'])
export class Device {
  /** The order in which devices were last seen. */
  @PrimaryColumn(int64Column)
  @Generated('increment')
  id: Int64;

  @Index('device_token_hash', { unique: true })
  @Column({ name: 'token_hash', type: 'text' })
  tokenHash: string;

  @Column({ name: 'user_id', ...int64Column })
  userId: Int64;

  /** Whether it has shown its cookie; programs that keep no cookies never do. */
  @Column({ type: 'boolean' })
  returned: boolean;

  @Column({ name: 'expires_at', ...int64Column })
  expiresAt: number;
}

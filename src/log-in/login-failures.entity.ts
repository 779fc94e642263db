import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { int64Column } from '../database';

/** Failed log-ins of late, for an account or an address. */
@Entity('login_failures')
export class LoginFailures {
  /** SHA-256 of the account's name or of the address: neither stands here in clear. */
  @PrimaryColumn({ type: 'text' })
  key: string;

  @Column({ type: 'integer' })
  count: number;

  /** When the next attempt is let in. */
  @Index('login_failures_free_at')
  @Column({ name: 'free_at', ...int64Column })
  freeAt: number;
}

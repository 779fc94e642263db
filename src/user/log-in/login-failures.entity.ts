import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { indexedText, int64Column } from '../../platform/database';

/** Failed log-ins of late, by what they are counted for (policies.ts). */
@Entity('login_failures')
export class LoginFailures {
  /** SHA-256 of the account's name, the address or the device: none stands here in clear. */
  @PrimaryColumn(indexedText)
  key: string;

  @Column({ type: 'integer' })
  count: number;

  /** When the next attempt is let in; once that is past, failures are forgotten from then on. */
  @Index('login_failures_free_at')
  @Column({ name: 'free_at', ...int64Column })
  freeAt: number;
}

import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../common/json';

@Entity('user')
export class User {
  /** Up to 2^63−1, which a plain read would round: read it as text (`CAST("id" AS text)`). */
  @PrimaryColumn({ type: 'bigint' })
  id: Int64;

  /** In Unicode NFC. */
  @Index('user_username', { unique: true })
  @Column({ type: 'text', nullable: true })
  username: string | null;

  @Column({ name: 'first_name', type: 'text', nullable: true })
  firstName: string | null;

  @Column({ name: 'last_name', type: 'text', nullable: true })
  lastName: string | null;

  @Column({ type: 'text', nullable: true })
  email: string | null;

  @Column({ type: 'text', nullable: true })
  phone: string | null;

  /** Kept for the client; it grants nothing. */
  @Column({ name: 'user_status', type: 'integer', nullable: true })
  userStatus: number | null;

  @Column({ name: 'password_hash', type: 'text', nullable: true })
  passwordHash: string | null;
}

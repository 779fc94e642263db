import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../common/json';
import { int64Column } from '../database';

@Entity('user')
export class User {
  @PrimaryColumn(int64Column)
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

  /** Grows with each change. It begins at random, so that whoever takes a free name has no version of who had it. */
  @Column({ ...int64Column, default: 1 })
  version: number;
}

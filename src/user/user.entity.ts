import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../platform/common/json';
import { indexedText, int64Column } from '../platform/database';

@Entity('user')
export class User {
  @PrimaryColumn(int64Column)
  id: Int64;

  /** In Unicode NFC. */
  @Index('user_username', { unique: true })
  @Column({ ...indexedText, nullable: true })
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

  /** At random with each change, so that whoever takes a free name has no version of who had it. */
  @Column(int64Column)
  version: number;
}

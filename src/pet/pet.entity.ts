import { Column, Entity, Generated, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../common/json';
import { int64Column, jsonColumn } from '../database';

export interface Owner {
  id?: string;
  name?: string;
  species?: string;
}

export interface Label {
  id?: Int64;
  name?: string;
}

/** A pet: v1 knows its owner, species and breed, v2 its category, photos, tags and status; both its name. */
@Entity('pet')
export class Pet {
  @PrimaryColumn(int64Column)
  @Generated('increment')
  id: Int64;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'owner_id', type: 'text', nullable: true })
  ownerId: string | null;

  @Column({ type: 'text', nullable: true, transformer: jsonColumn })
  owner: Owner | null;

  @Column({ type: 'text', nullable: true })
  species: string | null;

  @Column({ type: 'text', nullable: true })
  breed: string | null;

  @Column({ type: 'text', nullable: true, transformer: jsonColumn })
  category: Label | null;

  @Column({ name: 'photo_urls', type: 'text', nullable: true, transformer: jsonColumn })
  photoUrls: string[] | null;

  @Column({ type: 'text', nullable: true, transformer: jsonColumn })
  tags: Label[] | null;

  @Column({ type: 'text', nullable: true })
  status: string | null;
}

import { Column, Entity, ForeignKey, Generated, Index, PrimaryColumn } from 'typeorm';
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

/** Found by the property and then in order of the id, so a page costs the same however many there are. */
const FoundBy = (property: 'ownerId' | 'species' | 'breed' | 'status', column: string) =>
  Index(`pet_${column}`, [property, 'id'], { where: `"${column}" IS NOT NULL` });

/** A pet: v1 knows its owner, species and breed, v2 its category, photos, tags and status; both its name. */
@Entity('pet')
@FoundBy('ownerId', 'owner_id')
@FoundBy('species', 'species')
@FoundBy('breed', 'breed')
@FoundBy('status', 'status')
export class Pet {
  @PrimaryColumn(int64Column)
  @Generated('increment')
  id: Int64;

  /** Grows with each change. It begins at random, so that a pet that is made anew never has a version of the old one. */
  @Column({ ...int64Column, default: 1 })
  version: number;

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

  /** How many rows of PetTag it has; null when it was given no tags, not even an empty list. */
  @Column({ name: 'tag_count', type: 'integer', nullable: true })
  tagCount: number | null;

  @Column({ type: 'text', nullable: true })
  status: string | null;
}

/** A tag of a pet. They keep their order, and may repeat. */
@Entity('pet_tag', { withoutRowid: true })
@Index('pet_tag_name', ['name', 'petId'], { where: '"name" IS NOT NULL' })
export class PetTag {
  @PrimaryColumn({ ...int64Column, name: 'pet_id' })
  @ForeignKey(() => Pet, { name: 'pet_tag_pet', onDelete: 'CASCADE' })
  petId: Int64;

  @PrimaryColumn({ type: 'integer' })
  position: number;

  @Column({ ...int64Column, nullable: true })
  id: Int64 | null;

  @Column({ type: 'text', nullable: true })
  name: string | null;
}

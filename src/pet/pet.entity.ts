import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../platform/common/json';
import { indexedText, int64Column, int64Key, jsonColumn } from '../platform/database';

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
  @PrimaryColumn(int64Key)
  id: Int64;

  /** Another one after each change. */
  @Column(int64Column)
  version: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'owner_id', ...indexedText, nullable: true })
  ownerId: string | null;

  @Column({ type: 'text', nullable: true, transformer: jsonColumn })
  owner: Owner | null;

  @Column({ ...indexedText, nullable: true })
  species: string | null;

  @Column({ ...indexedText, nullable: true })
  breed: string | null;

  @Column({ ...indexedText, nullable: true })
  status: string | null;

  @Column({ type: 'text', nullable: true, transformer: jsonColumn })
  category: Label | null;

  @Column({ name: 'photo_urls', type: 'text', nullable: true, transformer: jsonColumn })
  photoUrls: string[] | null;

  @Column({ type: 'text', nullable: true, transformer: jsonColumn })
  tags: Label[] | null;

  /** How many rows of PetPhoto it was ever given; null where it never was. */
  @Column({ name: 'photos_uploaded', type: 'integer', nullable: true })
  photosUploaded: number | null;
}

/** By which pets are found: each name that a pet's tags have, once. */
@Entity('pet_tag', { withoutRowid: true })
@Index('pet_tag_name', ['name', 'petId'])
export class PetTag {
  @PrimaryColumn({ ...int64Column, name: 'pet_id' })
  @ForeignKey(() => Pet, { name: 'pet_tag_pet', onDelete: 'CASCADE' })
  petId: Int64;

  @PrimaryColumn(indexedText)
  name: string;
}

/** An id that a client assigned, for good: the server never gives it, not even when its pet is deleted. */
@Entity('brought_pet_id')
export class ClientAssignedPetId {
  @PrimaryColumn(int64Key)
  id: Int64;
}

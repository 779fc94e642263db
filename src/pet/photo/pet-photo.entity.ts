import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Int64 } from '../../platform/common/json';
import { indexedText, int64Column } from '../../platform/database';
import { Pet } from '../pet.entity';

/** A photo that was uploaded for a pet, as it was written anew. It never changes, and goes with its pet. */
@Entity('pet_photo')
@Index('pet_photo_pet_id', ['petId', 'position'])
export class PetPhoto {
  @PrimaryColumn(indexedText)
  id: string;

  @Column({ ...int64Column, name: 'pet_id' })
  @ForeignKey(() => Pet, { name: 'pet_photo_pet', onDelete: 'CASCADE' })
  petId: Int64;

  /** In order of upload. */
  @Column({ type: 'integer' })
  position: number;

  /** Of the content. */
  @Column(int64Column)
  version: number;

  @Column({ type: 'text' })
  type: string;

  @Column({ type: 'integer' })
  bytes: number;

  @Column({ type: 'integer' })
  width: number;

  @Column({ type: 'integer' })
  height: number;

  @Column({ name: 'additional_metadata', type: 'text', nullable: true })
  additionalMetadata: string | null;

  @Column({ ...int64Column, name: 'uploaded_at' })
  uploadedAt: number;

  /** Last, so that what is read without it is small. */
  @Column({ type: 'bytea', select: false })
  content: Buffer;
}

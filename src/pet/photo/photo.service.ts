import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Not, type Repository } from 'typeorm';
import type { Client } from '../../platform/common/client';
import { Clock } from '../../platform/common/clock';
import type { Int64 } from '../../platform/common/json';
import { Config } from '../../platform/config';
import { UnitOfWork } from '../../platform/database';
import { Conditions, newVersion, type Versioned } from '../../platform/http';
import { IdempotencyStore, type Attempt } from '../../platform/idempotency';
import { Pet } from '../pet.entity';
import { PetNotFound } from '../pet.problems';
import { photoView, type PhotoView, type UploadedPhotoView } from './dto/photo.view';
import { PetPhoto } from './pet-photo.entity';
import { photoIdsIn, photosPath } from './photo-address';
import { fileNameOf, type PhotoFile } from './photo-file';
import { PhotoWriter, type WrittenPhoto } from './photo-writer';
import { MAX_PHOTOS, MAX_URLS, PhotoNotFound, TooManyPhotos } from './photo.problems';

/** Keeps the photos of pets. Each stands in its pet's photoUrls, and what stands there no more is deleted. */
@Injectable()
export class PhotoService {
  constructor(
    @InjectRepository(PetPhoto) private readonly photos: Repository<PetPhoto>,
    @InjectRepository(Pet) private readonly pets: Repository<Pet>,
    private readonly database: UnitOfWork,
    private readonly idempotency: IdempotencyStore,
    private readonly writer: PhotoWriter,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Asked before anything is read, and before it is decoded. Throws as `upload` does for the pet. */
  async permitUpload(petId: Int64, conditions: Conditions): Promise<void> {
    const pet = await this.findPet(petId);
    conditions.assertMatches(pet.version);
    await this.checkRoom(pet);
    this.writer.load();
  }

  /**
   * Stores a photo and appends its url to the pet's. Throws PetNotFound, PreconditionFailed, TooManyPhotos, NotAPhoto,
   * PhotoTooWide, PhotosUnavailable, or what a repeat meets.
   */
  upload(
    petId: Int64,
    file: PhotoFile,
    additionalMetadata: string | undefined,
    { conditions, client, attempt }: { conditions: Conditions; client: Client; attempt?: Attempt },
  ): Promise<Versioned<UploadedPhotoView>> {
    const name = fileNameOf(file.originalname);
    const request = attempt && { name, additionalMetadata, file: hashOf(file.buffer).toString('hex') };
    return this.idempotency.once(attempt, request, async (write) => {
      await this.permitUpload(petId, conditions);
      const written = await this.writer.write(file.buffer, client);
      const photo = this.newPhoto(petId, written, additionalMetadata);
      const url = this.urlOf(photo);
      const said = additionalMetadata ?? null;
      const message = `additionalMetadata: ${said}\nFile uploaded to ./${name}, ${file.buffer.length} bytes`;
      const view = { code: 200, type: 'unknown', message, photo: photoView(photo, url) };
      const store = async () => {
        const version = await this.changePet(petId, conditions, async (pet) => {
          await this.checkRoom(pet);
          const position = (pet.photosUploaded ?? 0) + 1;
          await this.photos.insert({ ...photo, position });
          return { photoUrls: [...(pet.photoUrls ?? []), url], photosUploaded: position };
        });
        return { view, version };
      };
      return write(store, { priority: 'bulk' });
    });
  }

  /** Those of a pet in order of upload. Throws PetNotFound. */
  async list(petId: Int64): Promise<PhotoView[]> {
    return this.database.read(async () => {
      const photos = await this.photos.find({ where: { petId }, order: { position: 'ASC' } });
      if (photos.length === 0) {
        await this.findPet(petId);
      }
      return photos.map((photo) => photoView(photo, this.urlOf(photo)));
    });
  }

  /** With its content. Throws PhotoNotFound. */
  async get(petId: Int64, id: string): Promise<PetPhoto> {
    const select = { id: true, version: true, type: true, content: true } as const;
    const photo = await this.database.read(
      (manager) => manager.findOne(PetPhoto, { where: { id, petId }, select }),
      'bulk',
    );
    if (!photo) {
      throw new PhotoNotFound();
    }
    return photo;
  }

  /** Answers the pet's new version. Throws PetNotFound, PhotoNotFound, PreconditionFailed. */
  async delete(petId: Int64, id: string, conditions: Conditions): Promise<number> {
    await this.findPet(petId);
    if (!(await this.photos.existsBy({ id, petId }))) {
      throw new PhotoNotFound();
    }
    return this.database.write(() =>
      this.changePet(petId, conditions, async (pet) => {
        const { affected } = await this.photos.delete({ id });
        if (!affected) {
          throw new PhotoNotFound(); // deleted meanwhile
        }
        return { photoUrls: (pet.photoUrls ?? []).filter((url) => !photoIdsIn([url], petId).includes(id)) };
      }),
    );
  }

  /** In the transaction that replaces the photoUrls of a pet: deletes the photos that stand there no more. */
  async keepOnly(petId: Int64, urls: string[]): Promise<void> {
    await this.photos.delete({ petId, id: Not(In(photoIdsIn(urls, petId))) });
  }

  private newPhoto(petId: Int64, { content, type, width, height }: WrittenPhoto, metadata?: string) {
    return {
      id: randomUUID(),
      petId,
      version: hashOf(content).readUIntBE(0, 6),
      type,
      bytes: content.length,
      width,
      height,
      additionalMetadata: metadata ?? null,
      uploadedAt: this.clock.now(),
      content,
    };
  }

  private urlOf = ({ petId, id }: Pick<PetPhoto, 'petId' | 'id'>) =>
    `${this.config.publicUrl}${photosPath(petId)}${id}`;

  private async findPet(id: Int64): Promise<Pet> {
    const pet = await this.pets.findOneBy({ id });
    if (!pet) {
      throw new PetNotFound();
    }
    return pet;
  }

  private async checkRoom({ id, photoUrls }: Pet): Promise<void> {
    if ((photoUrls?.length ?? 0) >= MAX_URLS || (await this.photos.countBy({ petId: id })) >= MAX_PHOTOS) {
      throw new TooManyPhotos();
    }
  }

  /**
   * In a unit that writes. The pet gets its new version first, so that of two changes the later one waits, and sees
   * what the other made.
   */
  private async changePet(
    id: Int64,
    conditions: Conditions,
    change: (pet: Pet) => Promise<Partial<Pet>>,
  ): Promise<number> {
    const version = newVersion();
    const isFirst = async (seen: Pet) =>
      Boolean((await this.pets.update({ id, version: seen.version }, { version })).affected);
    const pet = await conditions.compareAndChange(() => this.findPet(id), isFirst);
    await this.pets.update({ id }, await change(pet));
    return version;
  }
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { Current } from '../../platform/http';
import type { PetPhoto } from './pet-photo.entity';

const header = { required: true, schema: { type: 'string' } } as const;
const CACHED = { 'Cache-Control': header };

/** The bytes of a photo, which never change: whoever has them need not ask again. */
export class ServedPhoto extends Current<StreamableFile> {
  constructor(
    { id, version, type, content }: PetPhoto,
    petId: PetPhoto['petId'],
    private readonly caches: 'public' | 'private',
  ) {
    const name = `pet-${petId}-${id}.${type.replace('image/', '').replace('jpeg', 'jpg')}`;
    const options = { type, length: content.length, disposition: `inline; filename="${name}"` };
    super({ version, view: new StreamableFile(content, options) });
  }

  static override documented = () => {
    const { headers, answers, ...documented } = Current.documented();
    const unchanged = { ...answers![304], headers: { ...headers, ...CACHED } };
    return {
      ...documented,
      headers: { ...headers, ...CACHED, 'Content-Disposition': header },
      answers: { 304: unchanged },
    };
  };

  override render(res: Response): StreamableFile | undefined {
    const file = super.render(res);
    res.set('Cache-Control', `${this.caches}, max-age=31536000, immutable`);
    return file;
  }
}

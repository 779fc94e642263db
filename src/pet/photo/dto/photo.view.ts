import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { PetPhoto } from '../pet-photo.entity';

const WRITTEN_TYPES = ['image/jpeg', 'image/png', 'image/webp'];

@ApiSchema({ name: 'Photo' })
export class PhotoView {
  @ApiProperty() id: string;
  @ApiProperty({ format: 'uri-reference' }) url: string;
  @ApiProperty({ enum: WRITTEN_TYPES }) type: string;
  @ApiProperty({ type: 'integer', format: 'int32' }) bytes: number;
  @ApiProperty({ type: 'integer', format: 'int32' }) width: number;
  @ApiProperty({ type: 'integer', format: 'int32' }) height: number;
  @ApiPropertyOptional() additionalMetadata?: string;
  @ApiProperty({ format: 'date-time' }) uploadedAt: string;
}

/** What the public documents answer to an upload, and the photo. */
@ApiSchema({ name: 'ApiResponse' })
export class UploadedPhotoView {
  @ApiProperty({ type: 'integer', format: 'int32' }) code: number;
  @ApiProperty() type: string;
  @ApiProperty() message: string;
  @ApiProperty() photo: PhotoView;
}

export const photoExample: PhotoView = {
  id: '7c1d3a1e-5b0f-4c55-9d55-0f6a8f0d2f11',
  url: '/v2/pet/1/photos/7c1d3a1e-5b0f-4c55-9d55-0f6a8f0d2f11',
  type: 'image/jpeg',
  bytes: 48_213,
  width: 1_024,
  height: 768,
  additionalMetadata: 'In the garden',
  uploadedAt: '2026-11-29T09:00:00.000Z',
};

/** Of any type. */
export const BINARY = { schema: { type: 'string', format: 'binary' } } as const;
export const photoContent = Object.fromEntries(WRITTEN_TYPES.map((type) => [type, BINARY]));

export const photoView = (photo: Omit<PetPhoto, 'content' | 'position'>, url: string): PhotoView => ({
  id: photo.id,
  url,
  type: photo.type,
  bytes: photo.bytes,
  width: photo.width,
  height: photo.height,
  additionalMetadata: photo.additionalMetadata ?? undefined,
  uploadedAt: new Date(photo.uploadedAt).toISOString(),
});

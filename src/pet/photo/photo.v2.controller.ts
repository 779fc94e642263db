import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  Param,
  Post,
  Query,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiTags } from '@nestjs/swagger';
import type { Client } from '../../platform/common/client';
import { BAD_REQUEST, Problem } from '../../platform/common/problem';
import { Config } from '../../platform/config';
import { Changed, Conditions, CurrentClient, Endpoint, RequestConditions } from '../../platform/http';
import { CurrentAttempt, type Attempt } from '../../platform/idempotency';
import { PetPath } from '../dto/read-pets.dto';
import { PET_NOT_FOUND } from '../pet.problems';
import { photoContent, photoExample, PhotoView, UploadedPhotoView } from './dto/photo.view';
import { PhotoNotes, PhotoPath, UploadPhotoDto } from './dto/upload-photo.dto';
import type { PhotoFile } from './photo-file';
import { BYTE_TYPES, PhotoUploadInterceptor } from './photo-upload.interceptor';
import { NOT_A_PHOTO, PHOTO_NOT_FOUND, PHOTO_TOO_WIDE, PHOTOS_UNAVAILABLE, TOO_MANY_PHOTOS } from './photo.problems';
import { PhotoService } from './photo.service';
import { ServedPhoto } from './served-photo';

/** What stands around a photo in a form: its head, and additionalMetadata. */
const AROUND_BYTES = 65_536;

@ApiTags('pet')
@Controller({ path: 'pet/:petId', version: '2' })
export class PhotoV2Controller {
  constructor(
    private readonly photos: PhotoService,
    private readonly config: Config,
  ) {}

  @Post('uploadImage')
  @Endpoint({
    access: 'token',
    operationId: 'uploadFile',
    summary: 'Upload a photo of a pet',
    description:
      'JPEG, PNG, GIF (its first image) or WebP, whatever it calls itself: as the part `file` of a form, or as the whole ' +
      'body. It is written anew: oriented, at most 2,048 a side, without metadata. Its address is appended to the ' +
      "pet's `photoUrls`; a PUT without it deletes the photo.",
    answer: {
      status: 200,
      type: UploadedPhotoView,
      description: 'The photo is stored',
      headers: {
        'Content-Location': { description: 'Where the photo is', required: true, schema: { type: 'string' } },
      },
    },
    bodyLimit: ({ photoLimit }) => photoLimit + AROUND_BYTES,
    bytes: BYTE_TYPES,
    problems: [PET_NOT_FOUND, TOO_MANY_PHOTOS, NOT_A_PHOTO, PHOTO_TOO_WIDE, PHOTOS_UNAVAILABLE],
    returns: Changed,
  })
  @UseInterceptors(PhotoUploadInterceptor, FileInterceptor('file'))
  async uploadFile(
    @Param() { petId }: PetPath,
    @UploadedFile() file: PhotoFile | undefined,
    @Body() form: UploadPhotoDto,
    @Query() query: PhotoNotes,
    @RequestConditions() conditions: Conditions,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt | undefined,
  ): Promise<Changed<UploadedPhotoView>> {
    if (!file) {
      throw new Problem(BAD_REQUEST, 'The form has no part file that has a file name.');
    }
    if (form.additionalMetadata != null && query.additionalMetadata != null) {
      throw new Problem(BAD_REQUEST, 'additionalMetadata comes in the form or in the query, not in both.');
    }
    const metadata = form.additionalMetadata ?? query.additionalMetadata;
    const { view, version } = await this.photos.upload(petId, file, metadata, { conditions, client, attempt });
    return new Changed(version, view, view.photo.url);
  }

  @Get('photos')
  @Endpoint({
    access: 'petReading',
    summary: 'List the photos of a pet',
    description: 'In order of upload.',
    answer: { type: [PhotoView], description: 'The photos', example: [photoExample] },
    problems: [PET_NOT_FOUND],
  })
  listPetPhotos(@Param() { petId }: PetPath): Promise<PhotoView[]> {
    return this.photos.list(petId);
  }

  @Get('photos/:photoId')
  @Endpoint({
    access: 'petReading',
    summary: 'Read a photo of a pet',
    description: 'A photo never changes.',
    answer: { content: photoContent, description: 'The photo' },
    problems: [PHOTO_NOT_FOUND],
    returns: ServedPhoto,
  })
  @Header('Content-Security-Policy', "default-src 'none'; sandbox")
  @Header('Cross-Origin-Resource-Policy', 'cross-origin')
  async getPetPhoto(@Param() { petId, photoId }: PhotoPath): Promise<ServedPhoto> {
    const photo = await this.photos.get(petId, photoId);
    return new ServedPhoto(photo, petId, this.config.accessPolicy.petReading === 'open' ? 'public' : 'private');
  }

  @Delete('photos/:photoId')
  @Endpoint({
    access: 'token',
    summary: 'Delete a photo of a pet',
    description: "Its address leaves the pet's `photoUrls`.",
    answer: { description: 'The photo is deleted' },
    problems: [PET_NOT_FOUND, PHOTO_NOT_FOUND],
    returns: Changed,
  })
  async deletePetPhoto(
    @Param() { petId, photoId }: PhotoPath,
    @RequestConditions() conditions: Conditions,
  ): Promise<Changed> {
    return new Changed(await this.photos.delete(petId, photoId, conditions));
  }
}

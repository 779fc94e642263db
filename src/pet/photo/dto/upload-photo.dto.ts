import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Example, IsText, MayBeAbsent, Meaning } from '../../../platform/http';
import { PetPath } from '../../dto/read-pets.dto';
import { photoExample } from './photo.view';

/** What comes beside the photo: as a part of the form or in the query. */
export class PhotoNotes {
  @Meaning('Kept with the photo, and told with it') @MayBeAbsent() @IsText(1_024) additionalMetadata?: string;
}

/** Form of POST /v2/pet/{petId}/uploadImage. */
@ApiSchema({ name: 'UploadPhoto' })
export class UploadPhotoDto extends PhotoNotes {
  @ApiProperty({ type: 'string', format: 'binary', description: 'With a file name' }) file: unknown;
}

/** Which photo a path names. Any text may be asked for: what is no id is a photo that the pet does not have. */
export class PhotoPath extends PetPath {
  @Meaning('Of the photo') @Example(photoExample.id) @IsText(16_384) photoId: string;
}

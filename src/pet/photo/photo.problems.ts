import { Problem, problemKind } from '../../platform/common/problem';

/** The types that a photo may come as. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
export const MAX_PHOTOS = 20;
export const MAX_URLS = 100;
export const MAX_PIXELS = 40_000_000;
export const MAX_SIDE = 16_384;

export const PHOTO_NOT_FOUND = problemKind('photo-not-found', 404, 'The pet has no such photo');
export const TOO_MANY_PHOTOS = problemKind(
  'too-many-photos',
  409,
  `The pet has ${MAX_PHOTOS} photos or ${MAX_URLS} photo URLs; delete one first`,
);
export const NOT_A_PHOTO = problemKind(
  'not-a-photo',
  415,
  'The file is no JPEG, PNG, GIF or WebP, whatever it calls itself, or it is damaged',
);
export const PHOTO_TOO_WIDE = problemKind(
  'photo-too-wide',
  422,
  `The photo has more than ${MAX_PIXELS / 1_000_000} megapixels, or a side of more than ${MAX_SIDE}`,
);
export const PHOTOS_UNAVAILABLE = problemKind(
  'photos-unavailable',
  501,
  'This installation cannot decode photos; its log says why',
);

export class PhotoNotFound extends Problem {
  constructor() {
    super(PHOTO_NOT_FOUND, 'The pet has no such photo.');
  }
}

export class TooManyPhotos extends Problem {
  constructor() {
    super(TOO_MANY_PHOTOS, `${TOO_MANY_PHOTOS.meaning}.`);
  }
}

export class NotAPhoto extends Problem {
  constructor() {
    super(NOT_A_PHOTO, `${NOT_A_PHOTO.meaning}.`, { headers: { Accept: PHOTO_TYPES.join(', ') } });
  }
}

export class PhotoTooWide extends Problem {
  constructor() {
    super(PHOTO_TOO_WIDE, `${PHOTO_TOO_WIDE.meaning}.`);
  }
}

export class PhotosUnavailable extends Problem {
  constructor() {
    super(PHOTOS_UNAVAILABLE, `${PHOTOS_UNAVAILABLE.meaning}.`);
  }
}

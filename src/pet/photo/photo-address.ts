import type { Int64 } from '../../platform/common/json';

/** Where the photos of a pet are. */
export const photosPath = (petId: Int64) => `/v2/pet/${petId}/photos/`;

/**
 * The ids of the pet's photos that stand in a list of urls: a photo is known by its path, whatever stands before it.
 */
export function photoIdsIn(urls: string[], petId: Int64): string[] {
  const path = photosPath(petId);
  return urls.flatMap((url) => {
    const at = url.lastIndexOf(path);
    return at < 0 ? [] : [url.slice(at + path.length)];
  });
}

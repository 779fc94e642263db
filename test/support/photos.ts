import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { tokenFor, type RunningApp } from './start-app';

export type Format = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'avif';

/** A red photo, or one of noise, which cannot be compressed. */
export const image = (format: Format, width = 4, height = 3): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: 'red' } })
    .toFormat(format)
    .toBuffer();

export const noise = (format: Format, width: number, height: number, channels: 3 | 4 = 3): Promise<Buffer> =>
  sharp(randomBytes(width * height * channels), { raw: { width, height, channels } })
    .toFormat(format)
    .toBuffer();

export interface StoredPhoto {
  id: string;
  url: string;
  type: string;
  bytes: number;
  width: number;
  height: number;
}

export const photoOf = (answer: { body: unknown }) => (answer.body as { photo: StoredPhoto }).photo;

export async function newPet({ http }: RunningApp): Promise<number> {
  const pet = { name: 'Rex', photoUrls: ['https://a.example/1.jpg'] };
  return ((await http.post('/v2/pet').send(pet).expect(200)).body as { id: number }).id;
}

/** A pet, and what its owner does with it. */
export class PhotoAlbum {
  private constructor(
    private readonly running: RunningApp,
    readonly petId: number,
    readonly token: string,
  ) {}

  /** With a new pet; of whoever has the token, or of a new user. */
  static async in(running: RunningApp, token?: string): Promise<PhotoAlbum> {
    return new PhotoAlbum(running, await newPet(running), token ?? (await tokenFor(running)));
  }

  get path() {
    return `/v2/pet/${this.petId}/uploadImage`;
  }

  authorized = (method: 'post' | 'delete' | 'put', path: string) =>
    this.running.http[method](path).set('Authorization', `Bearer ${this.token}`);

  upload = (path = this.path) => this.authorized('post', path);

  uploadForm = (bytes: Buffer, name = 'rex.jpg') => this.upload().attach('file', bytes, name);

  uploadBytes = (bytes: Buffer, type = 'image/jpeg') => this.upload().set('Content-Type', type).send(bytes);

  /** The pet as it is. */
  read = async () => (await this.running.http.get(`/v2/pet/${this.petId}`).expect(200)).body as { photoUrls: string[] };

  list = async () => (await this.running.http.get(`/v2/pet/${this.petId}/photos`).expect(200)).body as StoredPhoto[];

  /** The bytes of a photo. */
  download = async (url: string) => (await this.running.http.get(url).expect(200)).body as Buffer;

  /** Of a request that a test writes byte by byte. */
  head = (...headers: string[]) =>
    [`POST ${this.path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${this.token}`, ...headers, '\r\n'].join('\r\n');
}

import sharp from 'sharp';
import { image, noise, photoOf, PhotoAlbum } from './support/photos';
import { startApp, type RunningApp } from './support/start-app';

/*
 * Nothing of what is uploaded is believed, and nothing of it is served: what decodes as a photo is written anew.
 */

let running: RunningApp;
let album: PhotoAlbum;
beforeAll(async () => {
  running = await startApp();
});
beforeEach(async () => {
  await running.empty();
  album = await PhotoAlbum.in(running);
});
afterAll(() => running.stop());

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';

it.each<[string, () => Buffer | Promise<Buffer>]>([
  ['SVG', () => Buffer.from(SVG)],
  ['HTML', () => Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['PDF', () => Buffer.from('%PDF-1.7\n%\n1 0 obj<<>>endobj')],
  ['the head of a GIF', () => Buffer.from('GIF89a')],
  ['the head of a JPEG before HTML', () => Buffer.from('\xff\xd8\xff\xe0<script>alert(1)</script>', 'latin1')],
  ['TIFF', () => image('tiff')],
  ['AVIF', () => image('avif')],
  ['half a JPEG', async () => (await image('jpeg', 400, 400)).subarray(0, 500)],
  ['nothing', () => Buffer.alloc(0)],
])('%s that is called a JPEG is answered 415', async (_, bytes) => {
  const { body } = await album.uploadForm(await bytes()).expect(415);
  expect(body).toMatchObject({ type: '/problems/not-a-photo' });
  await album.uploadBytes(Buffer.concat([await bytes()])).expect((await bytes()).length > 0 ? 415 : 400);
  expect((await album.read()).photoUrls).toHaveLength(1);
});

it('opens nothing but JPEG, PNG, GIF and WebP, not even to look at its head', async () => {
  await album.uploadBytes(await image('jpeg')).expect(200);
  // The process that has served a photo is this one.
  for (const bytes of [Buffer.from(SVG), await image('tiff'), await image('avif')]) {
    await expect(sharp(bytes).metadata()).rejects.toThrow(/unsupported image format/);
  }
  await expect(sharp(await image('webp')).metadata()).resolves.toMatchObject({ format: 'webp' });
});

it.each<[string, () => Buffer | Promise<Buffer>]>([
  ['PNG of 3,600 megapixels', () => FLOOD_PNG],
  ['GIF of 3,600 megapixels', () => Buffer.concat([GIF_HEAD, GIF_IMAGE, Buffer.from([0x3b])])],
  ['GIF of two such images', () => Buffer.concat([GIF_HEAD, GIF_IMAGE, GIF_IMAGE, Buffer.from([0x3b])])],
  ['moving WebP of 268 megapixels', async () => wider(await moving('webp'), 24, [0xfe, 0x3f, 0, 0xfe, 0x3f, 0])],
  ['PNG of one row that is too wide', () => image('png', 16_385, 1)],
])('a %s is answered 422 by its header', async (_, make) => {
  const bytes = await make();
  expect(bytes.length).toBeLessThan(1_000);
  const { body } = await album.uploadForm(bytes).expect(422);
  expect(body).toMatchObject({ type: '/problems/photo-too-wide' });
});

it('is turned as the camera was held, and keeps nothing of where that was', async () => {
  const bytes = await sharp(await image('jpeg', 40, 20))
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Copyright: 'Tess' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Tess</x:xmpmeta>')
    .toBuffer();
  expect(await sharp(bytes).metadata()).toMatchObject({ exif: expect.anything(), xmp: expect.anything() });
  const hiding = Buffer.concat([bytes, Buffer.from('<script>hidden</script>')]);
  const { url } = photoOf(await album.uploadForm(hiding).expect(200));
  const written = await album.download(url);
  const { exif, xmp, icc, comments, width, height } = await sharp(written).metadata();
  expect({ exif, xmp, icc, comments, width, height }).toEqual({ width: 20, height: 40 });
  expect(written.toString('latin1')).not.toMatch(/hidden|Tess|Exif/);
});

it('is stored with at most 2,048 a side', async () => {
  const { url, width, height } = photoOf(await album.uploadForm(await image('png', 4_096, 100)).expect(200));
  expect([width, height]).toEqual([2_048, 50]);
  expect(await sharp(await album.download(url)).metadata()).toMatchObject({ width, height });
});

it.each([
  [3, 'jpeg', 850],
  [4, 'webp', 640],
] as const)('a PNG of %d channels that would be larger than 2 MiB is stored as %s', async (channels, format, width) => {
  const bytes = await noise('png', width, 840, channels);
  expect(bytes.length).toBeGreaterThan(2 * 1_048_576);
  const { url, type, bytes: length } = photoOf(await album.uploadForm(bytes).expect(200));
  expect(type).toBe(`image/${format}`);
  const written = await album.download(url);
  expect(written.length).toBe(length);
  expect(length).toBeLessThanOrEqual(2 * 1_048_576);
  expect(await sharp(written).metadata()).toMatchObject({ format, width, height: 840 });
});

it('of several images in a row, the first is stored', async () => {
  const { url } = photoOf(await album.uploadForm(await moving('gif')).expect(200));
  expect(await sharp(await album.download(url)).metadata()).toMatchObject({ format: 'png', width: 4, height: 3 });
});

/** Of two images. */
async function moving(format: 'gif' | 'webp'): Promise<Buffer> {
  const frames = ['red', 'blue'].map((background) => ({ create: { width: 4, height: 3, channels: 3, background } }));
  const pngs = await Promise.all(
    frames.map((frame) =>
      sharp(frame as sharp.SharpOptions)
        .png()
        .toBuffer(),
    ),
  );
  return sharp(pngs, { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
}

/** The same with other bytes where it says its size. */
const wider = (bytes: Buffer, at: number, size: number[]) =>
  Buffer.concat([bytes.subarray(0, at), Buffer.from(size), bytes.subarray(at + size.length)]);

/** 60 bytes. */
const FLOOD_PNG = Buffer.from(
  '89504e470d0a1a0a0000000d494844520000ea600000ea6008020000000fb0e2150000000349444154010203533717ad0000000049454e44ae426082',
  'hex',
);

/** As large, with images that are. */
const GIF_HEAD = Buffer.from([...Buffer.from('GIF89a'), 0x60, 0xea, 0x60, 0xea, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
const GIF_IMAGE = Buffer.from([0x2c, 0, 0, 0, 0, 0x60, 0xea, 0x60, 0xea, 0, 2, 2, 0x44, 1, 0]);

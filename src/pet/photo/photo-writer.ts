import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type Sharp from 'sharp';
import type { SharpInput } from 'sharp';
import type { Client } from '../../platform/common/client';
import { widestNetworkOf } from '../../platform/common/network';
import { Config } from '../../platform/config';
import { Semaphore } from '../../platform/scheduling';
import { MAX_PIXELS, MAX_SIDE, NotAPhoto, PhotosUnavailable, PhotoTooWide } from './photo.problems';

/** A photo as it is stored. */
export interface WrittenPhoto {
  content: Buffer;
  type: string;
  width: number;
  height: number;
}

/** It may be missing where npm found none for this system. */
const load = createRequire(__filename);

type Format = 'jpeg' | 'png' | 'webp';

const WRITTEN_AS: Record<string, Format> = { jpeg: 'jpeg', png: 'png', gif: 'png', webp: 'webp' };
const LOADERS = ['JpegBuffer', 'PngBuffer', 'NsgifBuffer', 'WebpBuffer'].map((name) => `VipsForeignLoad${name}`);
const WRITTEN_SIDE = 2_048;
const WRITTEN_BYTES = 2 * 1_048_576;
/** The first at once; the others where the photo would be too large. */
const QUALITIES = [85, 70, 50];

/**
 * Decodes photos and writes them anew: oriented, without metadata or whatever else came with them. A few at a time, in
 * turns of the networks, and in threads of their own, so that log-ins have theirs.
 */
@Injectable()
export class PhotoWriter implements OnApplicationBootstrap {
  private readonly logger = new Logger(PhotoWriter.name);
  private readonly semaphore: Semaphore;
  private sharp: typeof Sharp | null | undefined;

  constructor({ processes }: Config) {
    const places = Math.max(1, Math.floor(availableParallelism() / 2 / processes));
    this.semaphore = new Semaphore(() => places);
  }

  /** Where it is prebuilt, it is only looked for: to load it takes time and memory that no photo may ever need. */
  onApplicationBootstrap(): void {
    if (!isPrebuilt()) {
      this.tryToLoad();
    }
  }

  /** Throws PhotosUnavailable. */
  load(): typeof Sharp {
    if (this.sharp === undefined) {
      this.tryToLoad();
    }
    if (!this.sharp) {
      throw new PhotosUnavailable();
    }
    return this.sharp;
  }

  /** Throws NotAPhoto, PhotoTooWide, PhotosUnavailable, or the reason of `client.gone`. */
  write(bytes: Buffer, { address, gone }: Client): Promise<WrittenPhoto> {
    const sharp = this.load();
    return this.semaphore.run(widestNetworkOf(address), () => write(sharp, bytes), gone);
  }

  private tryToLoad(): void {
    try {
      this.sharp = confined(load('sharp') as typeof Sharp);
    } catch (error) {
      this.sharp = null;
      this.logger.warn(`Photos cannot be uploaded, as sharp cannot be loaded: ${String(error).split('\n', 1)[0]}`);
    }
  }
}

/** Whether sharp is here with its part for such a system. */
function isPrebuilt(): boolean {
  const { platform, arch } = process;
  return ['', 'musl'].some((libc) => {
    try {
      return createRequire(load.resolve('sharp')).resolve(`@img/sharp-${platform}${libc}-${arch}/sharp.node`);
    } catch {
      return false;
    }
  });
}

/** Whatever else it could open, an SVG with its links, say, is refused before it is looked at. */
function confined(sharp: typeof Sharp): typeof Sharp {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

async function write(sharp: typeof Sharp, bytes: SharpInput): Promise<WrittenPhoto> {
  const { format, width, height, hasAlpha } = await headerOf(sharp, bytes);
  if (width * height > MAX_PIXELS || Math.max(width, height) > MAX_SIDE) {
    throw new PhotoTooWide();
  }
  let written = await encode(sharp, bytes, WRITTEN_AS[format]!, QUALITIES[0]!);
  for (const quality of QUALITIES.slice(1)) {
    if (written.content.length <= WRITTEN_BYTES) {
      break;
    }
    written = await encode(sharp, bytes, hasAlpha ? 'webp' : 'jpeg', quality);
  }
  return written;
}

/** Without sharp's own limit: its error could not be told from those of damage. */
async function headerOf(sharp: typeof Sharp, bytes: SharpInput) {
  try {
    return await sharp(bytes, { limitInputPixels: false }).metadata();
  } catch {
    throw new NotAPhoto();
  }
}

async function encode(sharp: typeof Sharp, bytes: SharpInput, format: Format, quality: number): Promise<WrittenPhoto> {
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
      .autoOrient()
      .resize({ width: WRITTEN_SIDE, height: WRITTEN_SIDE, fit: 'inside', withoutEnlargement: true })
      .toFormat(format, format === 'png' ? {} : { quality })
      .toBuffer({ resolveWithObject: true });
    return { content: data, type: `image/${format}`, width: info.width, height: info.height };
  } catch {
    throw new NotAPhoto();
  }
}

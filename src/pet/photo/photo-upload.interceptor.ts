import {
  BadRequestException,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { catchError, finalize, throwError, type Observable } from 'rxjs';
import { BAD_REQUEST, Problem, UNSUPPORTED_MEDIA_TYPE } from '../../platform/common/problem';
import { Config } from '../../platform/config';
import { checked, clientOf, Conditions, hasBody, networkOf, tooLarge } from '../../platform/http';
import { FairShareSemaphore } from '../../platform/scheduling';
import { PetPath } from '../dto/read-pets.dto';
import { readFile } from './photo-file';
import { PHOTO_TYPES } from './photo.problems';
import { PhotoService } from './photo.service';

/** The bytes of the photo themselves. */
export const BYTE_TYPES = ['application/octet-stream', ...PHOTO_TYPES];
const TYPES = ['multipart/form-data', ...BYTE_TYPES].join(', ');

/** All uploads that are being read or written may take so much memory. */
const MEMORY_BYTES = 64 * 1_048_576;
const LEAST_PLACES = 4;

/**
 * Stands before FileInterceptor: nothing is read of an upload before its pet is known to take it, and there is room in
 * memory for it. Who has had its share of that waits. Reads a photo that is the whole body, as multer would a part.
 */
@Injectable()
export class PhotoUploadInterceptor implements NestInterceptor {
  private readonly places: FairShareSemaphore;

  constructor(
    private readonly photos: PhotoService,
    private readonly config: Config,
  ) {
    this.places = new FairShareSemaphore(Math.max(LEAST_PLACES, Math.floor(MEMORY_BYTES / config.photoLimit)));
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const req = context.switchToHttp().getRequest<Request>();
    const { petId } = checked(PetPath, req.params, '');
    // Whatever has become of its pet meanwhile, a repeat gets the answer that is kept for it.
    if (req.headers['idempotency-key'] === undefined) {
      await this.photos.permitUpload(petId, new Conditions(req.headers));
    }
    const isForm = checkType(req) === 'multipart/form-data';
    if (!isForm && Number(req.headers['content-length'] ?? 0) > this.config.photoLimit) {
      throw tooLarge();
    }
    const network = networkOf(req);
    await this.places.acquire(network, clientOf(req, context.switchToHttp().getResponse()).gone);
    const release = () => this.places.release(network);
    try {
      if (req.destroyed) {
        throw new Problem(BAD_REQUEST, 'The body does not arrive as its headers say.');
      }
      if (!isForm) {
        await this.readBytes(req);
      }
    } catch (error) {
      release();
      throw error;
    }
    return next.handle().pipe(
      catchError((error: unknown) => throwError(() => inOurWords(error))),
      finalize(release),
    );
  }

  private async readBytes(req: Request): Promise<void> {
    if (!hasBody(req)) {
      throw new Problem(BAD_REQUEST, 'The request has no body.');
    }
    const buffer = await readFile(req, req, this.config.photoLimit);
    req.file = { originalname: '', buffer } as Express.Multer.File;
    req.body = {};
  }
}

/** Throws a Problem (415). */
function checkType({ headers }: Request): string {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  const accepted = { Accept: TYPES, 'Accept-Post': TYPES };
  if (type !== 'multipart/form-data' && !BYTE_TYPES.includes(type)) {
    throw new Problem(UNSUPPORTED_MEDIA_TYPE, `The body must be one of ${TYPES}.`, { headers: accepted });
  }
  if (!['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase())) {
    const plain = { 'Accept-Encoding': 'identity' };
    throw new Problem(UNSUPPORTED_MEDIA_TYPE, 'A photo is not compressed any further.', { headers: plain });
  }
  return type;
}

/** What multer says of a form that is none, or has other parts. */
const inOurWords = (error: unknown) =>
  error instanceof BadRequestException ? new Problem(BAD_REQUEST, error.message) : error;

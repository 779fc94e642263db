import { Injectable, type INestApplication } from '@nestjs/common';
import { Config } from '../config';
import { openApiDocument } from './document';

/** The document of the app that serves it, made at the first request. */
@Injectable()
export class ServedDocument {
  private app?: INestApplication;
  private text?: string;

  constructor(private readonly config: Config) {}

  /** Called once, by whoever made the app. */
  describes(app: INestApplication): void {
    this.app = app;
  }

  json(): string {
    return (this.text ??= JSON.stringify(openApiDocument(this.app!, this.config)));
  }
}

import { Injectable, type INestApplication } from '@nestjs/common';
import { Config } from '../config';
import { openApiDocument } from './document';
import { inOpenApi30 } from './edition';
import { pageDocument } from './page-document';

/** The document of the app that serves it, in two editions and as the page shows it; each made at its first request. */
@Injectable()
export class ServedDocument {
  private app?: INestApplication;
  private text?: string;
  private textIn30?: string;
  private pageText?: string;

  constructor(private readonly config: Config) {}

  /** Called once, by whoever made the app. */
  describes(app: INestApplication): void {
    this.app = app;
  }

  json(): string {
    return (this.text ??= JSON.stringify(openApiDocument(this.app!, this.config)));
  }

  jsonIn30(): string {
    return (this.textIn30 ??= JSON.stringify(inOpenApi30(openApiDocument(this.app!, this.config))));
  }

  jsonForPage(): string {
    return (this.pageText ??= JSON.stringify(pageDocument(this.app!, this.config)));
  }
}

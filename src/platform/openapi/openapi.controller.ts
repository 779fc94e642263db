import { Controller, Get, Header, Param, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import type { Request, Response } from 'express';
import { NOT_FOUND, NOTHING_HERE, Problem } from '../common/problem';
import { version } from '../common/version';
import { Endpoint, IsText } from '../http';
import { FILES, page, pageHeaders, POLICY } from './page';
import { ServedDocument } from './served-document';

class FileParameters {
  @IsText() file: string;
}

/** Serves the OpenAPI document, and a page to read and try it, all from this service. */
@Controller({ version: VERSION_NEUTRAL })
export class OpenApiController {
  constructor(private readonly served: ServedDocument) {}

  /** A browser is led to the page; a program gets an index. */
  @Get()
  @Endpoint({ access: 'anyone' })
  index(@Req() req: Request, @Res() res: Response): void {
    res.vary('Accept');
    if (req.accepts(['application/json', 'text/html']) === 'text/html') {
      res.redirect(302, 'docs');
    } else {
      res.json({ title: 'Pet and User service', version: version(), documentation: 'docs', openapi: 'openapi.json' });
    }
  }

  @Get('openapi.json')
  @Header('Content-Type', 'application/json')
  @Endpoint({ access: 'anyone' })
  document(): string {
    return this.served.json();
  }

  @Get('openapi-3.0.json')
  @Header('Content-Type', 'application/json')
  @Endpoint({ access: 'anyone' })
  documentIn30(): string {
    return this.served.jsonIn30();
  }

  @Get('docs')
  @Endpoint({ access: 'anyone' })
  page(@Req() req: Request, @Res() res: Response): void {
    const root = req.path.endsWith('/') ? '../' : '';
    pageHeaders(req, res, () => res.set('Content-Security-Policy', POLICY).type('html').send(page(root)));
  }

  @Get('docs/document.json')
  @Header('Content-Type', 'application/json')
  @Endpoint({ access: 'anyone' })
  documentOfPage(): string {
    return this.served.jsonForPage();
  }

  @Get('docs/:file')
  @Endpoint({ access: 'anyone' })
  file(@Param() { file }: FileParameters, @Req() req: Request, @Res() res: Response): void {
    const root = FILES.get(file);
    if (root === undefined) {
      throw new Problem(NOT_FOUND, NOTHING_HERE);
    }
    // RFC 9110, 14.2: a range is of GET alone; 13.1.1: any file matches `*`, which Express knows with an ETag only.
    if (req.method === 'HEAD') {
      delete req.headers.range;
    }
    if (req.headers['if-match'] === '*') {
      delete req.headers['if-match'];
    }
    res.sendFile(file, { root });
  }
}

import { Controller, Get, Module, Next, Req, Res, UseFilters, type ExceptionFilter } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Endpoint } from '../../src/platform/http';

/*
 * Failures that come when a handler has returned, and from its filter: each would end the process if nobody heard it.
 */

class FailingFilter implements ExceptionFilter {
  catch(): never {
    throw new Error('canary');
  }
}

@Controller('failing')
class FailingController {
  @Get('missing')
  @Endpoint({ access: 'anyone' })
  missing(@Res() res: Response): void {
    res.sendFile('missing', { root: __dirname });
  }

  @Get('folder')
  @Endpoint({ access: 'anyone' })
  folder(@Res() res: Response): void {
    res.sendFile('.', { root: __dirname });
  }

  @Get('next')
  @Endpoint({ access: 'anyone' })
  next(@Next() next: NextFunction): void {
    setImmediate(next);
  }

  @Get('next-route')
  @Endpoint({ access: 'anyone' })
  nextRoute(@Next() next: NextFunction): void {
    setImmediate(() => next('route'));
  }

  @Get('next-with-error')
  @Endpoint({ access: 'anyone' })
  nextWithError(@Req() req: Request, @Res() _: Response): void {
    setImmediate(() => req.next!(new Error('canary')));
  }

  @Get('next-with-anything')
  @Endpoint({ access: 'anyone' })
  nextWithAnything(@Next() next: NextFunction): void {
    setImmediate(() => next({ status: 'constructor' }));
  }

  @Get('next-after-answer')
  @Endpoint({ access: 'anyone' })
  nextAfterAnswer(@Res() res: Response, @Next() next: NextFunction): void {
    res.on('finish', () => [undefined, null, new Error('canary')].forEach(next)).send('ok');
  }

  @Get('write-after-end')
  @Endpoint({ access: 'anyone' })
  writeAfterEnd(@Res() res: Response): void {
    res.send('ok');
    res.write('more');
  }

  @Get('filter')
  @UseFilters(FailingFilter)
  @Endpoint({ access: 'anyone' })
  filter(): never {
    throw new Error('canary');
  }
}

@Module({ controllers: [FailingController] })
export class FailingModule {}

import { Controller, Get, HttpCode, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Access } from '../auth';
import { Readiness } from './readiness';

/** For balancers and supervisors, not for clients: docs/operations.md describes it, the OpenAPI document does not. */
@ApiExcludeController()
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process answers; it looks at nothing else, or a broken database would have every process restarted. */
  @Get('live')
  @HttpCode(200)
  @Access('anyone')
  live(): { status: string } {
    return { status: 'live' };
  }

  @Get('ready')
  @HttpCode(200)
  @Access('anyone')
  async ready(): Promise<{ status: string }> {
    await this.readiness.check();
    return { status: 'ready' };
  }
}

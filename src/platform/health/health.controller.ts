import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { Endpoint } from '../http';
import { Readiness } from './readiness';

/** For balancers and supervisors, not for clients: docs/operations.md describes it, the OpenAPI document does not. */
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Says only that the process answers: if it asked the database, a broken one would have every process restarted. */
  @Get('live')
  @Endpoint({ access: 'anyone', limited: false })
  live(): { status: string } {
    return { status: 'live' };
  }

  @Get('ready')
  @Endpoint({ access: 'anyone', limited: false })
  async ready(): Promise<{ status: string }> {
    await this.readiness.check();
    return { status: 'ready' };
  }
}

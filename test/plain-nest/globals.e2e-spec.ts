import {
  Body,
  Catch,
  Controller,
  Get,
  HttpException,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Post,
  Query,
  Scope,
  ValidationPipe,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { ContextIdFactory, ModuleRef, REQUEST, type ContextIdStrategy, type HostComponentInfo } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString } from 'class-validator';
import type { Request, Response } from 'express';
import { map } from 'rxjs';
import { Endpoint } from '../../src/platform/http';
import { startBothWith, type Both } from '../support/plain-nest';

const open = () => Endpoint({ access: 'anyone' });

class Guard implements CanActivate {
  canActivate(context: ExecutionContext) {
    const { headers } = context.switchToHttp().getRequest<Request>();
    return headers['x-denied'] === undefined;
  }
}
class Wrap implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const { name } = context.getClass();
    return next.handle().pipe(map((data: unknown) => ({ data, by: name, handler: context.getHandler().name })));
  }
}
class Exclaim implements PipeTransform {
  transform = (value: unknown) => (typeof value === 'string' ? `${value}!` : value);
}
@Catch(HttpException)
class OfHttp implements ExceptionFilter<HttpException> {
  catch(exception: HttpException, host: ArgumentsHost) {
    const statusCode = exception.getStatus();
    host.switchToHttp().getResponse<Response>().status(statusCode).json({ statusCode, message: 'of the filter' });
  }
}

class Cat {
  @IsString() name: string;
  @IsOptional() @IsInt() age?: number;
}
class Paged {
  @IsOptional() @Type(() => Number) @IsInt() page?: number;
}

/** One for each tenant, and not for each request, as Nest's documentation makes them. */
const tenants = new Map<string, { id: number }>();
class ByTenant implements ContextIdStrategy {
  attach(contextId: { id: number }, request: Request) {
    const tenant = String(request.headers['x-tenant']);
    const shared = tenants.get(tenant) ?? ContextIdFactory.create();
    tenants.set(tenant, shared);
    return {
      resolve: (info: HostComponentInfo) => (info.isTreeDurable ? shared : contextId),
      payload: { tenant },
    };
  }
}
@Injectable({ scope: Scope.REQUEST, durable: true })
class TenantCount {
  private count = 0;
  constructor(@Inject(REQUEST) private readonly context: { tenant: string }) {}
  next = () => `${this.context.tenant} ${(this.count += 1)}`;
}
@Injectable({ scope: Scope.REQUEST })
class RequestCount {
  private count = 0;
  constructor(@Inject(REQUEST) private readonly request: Request) {}
  next = () => `${this.request.originalUrl} ${(this.count += 1)}`;
}
@Injectable({ scope: Scope.TRANSIENT })
class OwnCount {
  private count = 0;
  next = () => (this.count += 1);
}

@Controller('told')
class ToldController {
  @Get('text/:id') @open() text(@Param('id') id: string, @Query('q') q: string) {
    return { id, q: q ?? null };
  }
  @Get('paged') @open() paged(@Query() query: Paged) {
    return { page: query.page ?? null, made: query instanceof Paged };
  }
  @Post('cat') @open() cat(@Body() cat: Cat) {
    return { ...cat, made: cat instanceof Cat };
  }
  @Get('missing') @open() missing() {
    throw new NotFoundException('none');
  }
  @Get('broken') @open() broken() {
    throw new Error('canary');
  }
}
@Controller('scoped')
class ScopedController {
  private calls = 0;
  constructor(
    private readonly ofTenant: TenantCount,
    private readonly ofRequest: RequestCount,
    private readonly own: OwnCount,
    private readonly modules: ModuleRef,
  ) {}
  @Get(':id') @open() async get(@Param('id') id: string) {
    const resolved = await this.modules.resolve(OwnCount);
    const counts = [this.ofTenant.next(), this.ofRequest.next(), this.ofRequest.next(), this.own.next()];
    return { id, counts, resolved: resolved.next(), calls: (this.calls += 1) };
  }
}
@Controller('durable')
class DurableController {
  private calls = 0;
  constructor(private readonly ofTenant: TenantCount) {}
  @Get() @open() get() {
    return { count: this.ofTenant.next(), calls: (this.calls += 1) };
  }
}
@Module({
  controllers: [ToldController, ScopedController, DurableController],
  providers: [TenantCount, RequestCount, OwnCount],
})
class GlobalsModule {}

const REQUESTS: [path: string, headers?: Record<string, string>, body?: string][] = [
  ['/told/text/a?q=b'],
  ['/told/text/a', { 'X-Denied': 'yes' }],
  ['/told/paged?page=2'],
  ['/told/paged?page=x'],
  ['/told/paged?more=1'],
  ['/told/cat', {}, '{"name":"Tom"}'],
  ['/told/cat', {}, '{"name":"Tom","age":"x"}'],
  ['/told/cat', {}, '{"name":"Tom","more":1}'],
  ['/told/missing'],
  ['/told/broken'],
  ['/scoped/1', { 'X-Tenant': 'a' }],
  ['/scoped/2', { 'X-Tenant': 'a' }],
  ['/durable', { 'X-Tenant': 'a' }],
  ['/durable', { 'X-Tenant': 'b' }],
  ['/durable', { 'X-Tenant': 'a' }],
];

describe.each<[string, (app: NestExpressApplication) => unknown]>([
  ['useGlobalGuards', (app) => app.useGlobalGuards(new Guard())],
  ['useGlobalInterceptors', (app) => app.useGlobalInterceptors(new Wrap())],
  ['useGlobalPipes', (app) => app.useGlobalPipes(new Exclaim(), new ValidationPipe({ transform: true }))],
  [
    'useGlobalPipes, strict',
    (app) => app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true })),
  ],
  ['useGlobalFilters', (app) => app.useGlobalFilters(new OfHttp()).useGlobalPipes(new ValidationPipe())],
])('%s', (_, prepare) => {
  let both: Both;
  beforeAll(async () => {
    tenants.clear();
    ContextIdFactory.apply(new ByTenant());
    both = await startBothWith(prepare, GlobalsModule);
  });
  afterAll(() => both.stop());

  it.each(REQUESTS.map((request) => [request]))('%j is answered as in plain Nest', async ([path, headers, body]) => {
    const init = body ? { method: 'POST', body, headers: { 'Content-Type': 'application/json' } } : { headers };
    const { plain, ours } = await both.ask(path, init);
    expect(ours).toEqual(plain);
  });
});

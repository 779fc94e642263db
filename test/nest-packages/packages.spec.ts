import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import {
  Catch,
  Controller,
  Get,
  Injectable,
  Module,
  Param,
  Post,
  UploadedFile,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { BaseExceptionFilter } from '@nestjs/core';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { FileInterceptor } from '@nestjs/platform-express';
import { Interval, ScheduleModule } from '@nestjs/schedule';
import { ServeStaticModule } from '@nestjs/serve-static';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { ClsModule, ClsService } from 'nestjs-cls';
import { Endpoint } from '../../src/platform/http';
import { startBothWith, type Both } from '../support/plain-nest';

const open = () => Endpoint({ access: 'anyone' });

@Controller('throttled')
@UseGuards(ThrottlerGuard)
class ThrottledController {
  @Get()
  @open()
  get() {
    return 'let in';
  }
}

@Controller('cached')
@UseInterceptors(CacheInterceptor)
class CachedController {
  private calls = 0;
  @Get(':id')
  @open()
  get(@Param('id') id: string) {
    return { id, calls: (this.calls += 1) };
  }
}

@Controller('context')
class ContextController {
  constructor(private readonly cls: ClsService) {}
  @Get()
  @open()
  get() {
    return { from: this.cls.get<string>('path'), isActive: this.cls.isActive() };
  }
}

@Controller('checked')
class CheckedController {
  constructor(private readonly health: HealthCheckService) {}
  @Get(':how')
  @open()
  get(@Param('how') how: 'up' | 'down') {
    return this.health.check([() => ({ disk: { status: how } })]);
  }
}

@Catch()
class Theirs extends BaseExceptionFilter {}
@Controller('filtered')
@UseFilters(Theirs)
class FilteredController {
  constructor(private readonly health: HealthCheckService) {}
  @Get('throttled')
  @UseGuards(ThrottlerGuard)
  @open()
  throttled() {
    return 'let in';
  }
  @Get('checked')
  @open()
  checked() {
    return this.health.check([() => ({ disk: { status: 'down' } })]);
  }
  @Get('broken')
  @open()
  broken() {
    throw new Error('canary');
  }
  @Post('file')
  @UseInterceptors(FileInterceptor('file', { limits: { fileSize: 5 } }))
  @open()
  file(@UploadedFile() { originalname, size }: Express.Multer.File) {
    return { originalname, size };
  }
}

@Injectable()
class Listener {
  heard: unknown[] = [];
  ticks = 0;
  @OnEvent('heard')
  hear(what: unknown) {
    this.heard.push(what);
  }
  @Interval(5)
  tick() {
    this.ticks += 1;
  }
}
@Controller('events')
class EventsController {
  constructor(
    private readonly events: EventEmitter2,
    private readonly listener: Listener,
    private readonly config: ConfigService,
  ) {}
  @Get()
  @open()
  async get() {
    this.events.emit('heard', 'a word');
    while (this.listener.ticks === 0) {
      await new Promise(setImmediate);
    }
    return { heard: this.listener.heard.length, configured: this.config.get<string>('ANSWER') };
  }
}

const folder = mkdtempSync(join(tmpdir(), 'served-'));
writeFileSync(join(folder, 'index.html'), '<p>home</p>');
writeFileSync(join(folder, 'file.txt'), 'text');

@Module({
  imports: [
    ThrottlerModule.forRoot([{ ttl: 60_000, limit: 2 }]),
    CacheModule.register(),
    ClsModule.forRoot({
      middleware: { mount: true, setup: (cls, req: { originalUrl: string }) => cls.set('path', req.originalUrl) },
    }),
    ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ ANSWER: '42' })] }),
    EventEmitterModule.forRoot(),
    ScheduleModule.forRoot(),
    ServeStaticModule.forRoot({
      rootPath: folder,
      renderPath: '/app/{*any}',
      serveStaticOptions: { lastModified: false },
    }),
    TerminusModule.forRoot({ logger: false }),
  ],
  controllers: [
    ...[ThrottledController, CachedController, ContextController, CheckedController, FilteredController],
    EventsController,
  ],
  providers: [Listener],
})
class PackagesModule {}

let both: Both;
beforeAll(async () => (both = await startBothWith(() => undefined, PackagesModule)));
afterAll(async () => {
  await both.stop();
  rmSync(folder, { recursive: true });
});

it.each([
  ...['/throttled', '/throttled', '/throttled', '/cached/1', '/cached/1', '/cached/2', '/context', '/context?a=b'],
  ...['/checked/up', '/checked/down', '/events', '/file.txt', '/app/deep', '/filtered/throttled'],
  ...['/filtered/throttled', '/filtered/throttled', '/filtered/checked', '/filtered/broken'],
])('%s is answered as in plain Nest', async (path) => {
  const { plain, ours } = await both.ask(path);
  expect(ours).toEqual(plain);
});

it.each(['abc', 'abcdefghi'])('a file of %s is answered as in plain Nest, under its filter too', async (content) => {
  const body = new FormData();
  body.append('file', new Blob([content]), 'a.txt');
  const { plain, ours } = await both.ask('/filtered/file', { method: 'POST', body });
  expect(ours).toEqual(plain);
});

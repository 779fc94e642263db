import type { AddressInfo, Server } from 'node:net';
import { BadRequestException, Controller, Get, Module, UseGuards, ValidationPipe } from '@nestjs/common';
import {
  ClientProxyFactory,
  EventPattern,
  MessagePattern,
  Payload,
  RpcException,
  Transport,
  type ClientProxy,
} from '@nestjs/microservices';
import { IsString } from 'class-validator';
import { firstValueFrom, of, toArray } from 'rxjs';
import { Endpoint } from '../../src/platform/http';
import { startBothWith, type Both } from '../support/plain-nest';

class Never {
  canActivate = () => false;
}
class Word {
  @IsString() text: string;
}

@Controller('sums')
class SumsController {
  private readonly heard: unknown[] = [];
  @MessagePattern('sum')
  sum(@Payload() numbers: number[]) {
    return numbers.reduce((a, b) => a + b, 0);
  }
  @MessagePattern({ cmd: 'stream' })
  stream() {
    return of('a', 'b');
  }
  @MessagePattern('checked')
  checked(@Payload(new ValidationPipe({ exceptionFactory: () => new RpcException('odd') })) { text }: Word) {
    return text;
  }
  @MessagePattern('denied')
  @UseGuards(Never)
  denied() {
    return 'let in';
  }
  @MessagePattern('rpc')
  rpc() {
    throw new RpcException({ code: 7 });
  }
  @MessagePattern('http')
  http() {
    throw new BadRequestException('canary');
  }
  @MessagePattern('error')
  error() {
    throw new Error('canary');
  }
  @EventPattern('heard')
  hear(@Payload() what: unknown) {
    this.heard.push(what);
  }
  @MessagePattern('what was heard')
  told() {
    return this.heard;
  }
  @Get()
  @Endpoint({ access: 'anyone' })
  get() {
    return 'beside';
  }
}
@Module({ controllers: [SumsController] })
class SumsModule {}

const SENT: [pattern: unknown, data: unknown][] = [
  ['sum', [1, 2]],
  [{ cmd: 'stream' }, {}],
  ['checked', { text: 'a' }],
  ['checked', { text: 1 }],
  ['denied', {}],
  ['rpc', {}],
  ['http', {}],
  ['error', {}],
  ['nobody hears it', {}],
  ['what was heard', {}],
];

describe.each([false, true])('a connected microservice with inheritAppConfig: %s', (inheritAppConfig) => {
  let both: Both;
  const clients: ClientProxy[] = [];
  beforeAll(async () => {
    both = await startBothWith(
      (app) =>
        app.connectMicroservice(
          { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } },
          { inheritAppConfig },
        ),
      SumsModule,
    );
    for (const app of [both.plain, both.ours]) {
      await app.startAllMicroservices();
      const { port } = app.getMicroservices()[0]!.unwrap<Server>().address() as AddressInfo;
      clients.push(ClientProxyFactory.create({ transport: Transport.TCP, options: { host: '127.0.0.1', port } }));
    }
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await both.stop();
  });

  it.each(SENT)('%j %j is answered as in plain Nest', async (pattern, data) => {
    const [plain, ours] = await Promise.all(
      clients.map(async (client) => {
        await firstValueFrom(client.emit('heard', data), { defaultValue: undefined });
        return firstValueFrom(client.send<unknown>(pattern, data).pipe(toArray())).catch((error: unknown) => ({
          error,
        }));
      }),
    );
    expect(ours).toEqual(plain);
  });

  it('leaves HTTP as it is beside it', async () => {
    const { plain, ours } = await both.ask('/sums');
    expect(ours).toEqual(plain);
    expect(ours.body).toBe('beside');
  });
});

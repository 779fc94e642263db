import { Controller, Get, Module, UseGuards, ValidationPipe, type INestApplication } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets';
import { IsString } from 'class-validator';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { Endpoint } from '../../src/platform/http';
import { startBothWith, type Both } from '../support/plain-nest';

class Never {
  canActivate = () => false;
}
class Word {
  @IsString() text: string;
}

@WebSocketGateway({ path: '/chat' })
class ChatGateway {
  private said = 0;
  @SubscribeMessage('echo')
  echo(@MessageBody() data: unknown) {
    return { event: 'echo', data };
  }
  @SubscribeMessage('count')
  async count() {
    return { event: 'count', data: (this.said += 1) };
  }
  @SubscribeMessage('checked')
  checked(@MessageBody(new ValidationPipe({ exceptionFactory: () => new WsException('odd') })) { text }: Word) {
    return { event: 'checked', data: text };
  }
  @SubscribeMessage('denied')
  @UseGuards(Never)
  denied() {
    return { event: 'denied', data: 'let in' };
  }
  @SubscribeMessage('broken')
  broken() {
    throw new WsException('broken');
  }
}
@Controller('beside')
class BesideController {
  @Get()
  @Endpoint({ access: 'anyone' })
  get() {
    return 'beside';
  }
}
@Module({ controllers: [BesideController], providers: [ChatGateway] })
class ChatModule {}

/** What a client says, each when the one before has been answered. */
const SAID: [event: string, data: unknown][] = [
  ['echo', 'a word'],
  ['echo', { deep: [1, null] }],
  ['count', {}],
  ['checked', { text: 'a' }],
  ['checked', { text: 1 }],
  ['denied', {}],
  ['broken', {}],
  ['count', {}],
];

/** Everything that a client hears. */
type Talk = (url: string) => Promise<unknown[]>;

const overWs: Talk = (url) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/chat`);
  const heard: unknown[] = [];
  return new Promise((resolve, reject) => {
    const say = () => {
      const [event, data] = SAID[heard.length] ?? [];
      return event === undefined ? resolve(heard) : socket.send(JSON.stringify({ event, data }));
    };
    socket.on('error', reject).on('open', say);
    socket.on('message', (text: Buffer) => {
      heard.push(JSON.parse(text.toString()));
      say();
    });
  });
};

const overSocketIo =
  (...transports: string[]): Talk =>
  (url) => {
    const socket = io(url, { path: '/chat', transports, forceNew: true, reconnection: false });
    const heard: unknown[] = [];
    return new Promise((resolve, reject) => {
      const say = () => {
        const [event, data] = SAID[heard.length] ?? [];
        return event === undefined ? resolve(heard) : socket.emit(event, data);
      };
      socket.on('connect_error', reject).on('connect', say);
      socket.onAny((...parts: unknown[]) => {
        heard.push(parts);
        say();
      });
    });
  };

describe.each<[string, (app: INestApplication) => WsAdapter | IoAdapter, [string, Talk][]]>([
  ['ws', (app) => new WsAdapter(app), [['its client', overWs]]],
  [
    'socket.io',
    (app) => new IoAdapter(app),
    [
      ['long polling', overSocketIo('polling')],
      ['WebSocket', overSocketIo('websocket')],
      ['polling, and the upgrade from it', overSocketIo('polling', 'websocket')],
    ],
  ],
])('a gateway on %s', (_, adapter, ways) => {
  let both: Both;
  beforeAll(async () => (both = await startBothWith((app) => app.useWebSocketAdapter(adapter(app)), ChatModule)));
  // Its clients are still there: the gateway ends them.
  afterAll(() => both.stop());

  it.each(ways)('talks over %s as in plain Nest', async (_, talk) => {
    const [plain, ours] = await Promise.all([both.plain, both.ours].map(async (app) => talk(await app.getUrl())));
    expect(ours).toEqual(plain);
    expect(ours).toHaveLength(SAID.length);
  });

  it('leaves HTTP as it is beside it', async () => {
    const { plain, ours } = await both.ask('/beside');
    expect(ours).toEqual(plain);
    expect(ours.body).toBe('beside');
  });
});

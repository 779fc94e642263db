import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { Endpoint } from '../src/platform/http';
import { SettableClock, startService, type RunningService } from '../src/testing';
import { sqliteFile } from './support/test-database';

const during = async (starting: Promise<RunningService>, work: (service: RunningService) => Promise<void>) => {
  const service = await starting;
  await work(service).finally(service.stop);
};

it.each([
  [{ PET_CREATIONS: 'token' }, /There is no setting PET_CREATIONS/],
  [{ PORT: '3000' }, /The setting PORT does nothing here/],
  [{ DATABASE_URL: 'sqlite:x.sqlite' }, /The setting DATABASE_URL does nothing here/],
])('refuses the settings %j', async (settings, sentence) => {
  await expect(startService({ settings: settings })).rejects.toThrow(sentence);
});

it('refuses an option that it does not have', async () => {
  await expect(startService({ setting: {} } as never)).rejects.toThrow('startService has no option setting');
});

it('drops no member of a pet or a user', async () => {
  await during(startService(), async ({ aPet, aUser }) => {
    const tags = [{ id: 1, name: 'calm' }];
    expect(await aPet({ status: 'sold', tags })).toMatchObject({ name: 'Rex', status: 'sold', tags });
    expect(await aPet({ species: 'dog', owner_id: 'o-1' })).toMatchObject({ species: 'dog', owner_id: 'o-1' });
    await expect(aPet({ species: 'dog', status: 'sold' })).rejects.toThrow('POST /v2/pet takes no species.');
    await expect(aPet({ colour: 'red' })).rejects.toThrow('POST /v1/pet takes no colour.');
    expect(await aUser({ email: 'a@mail.example' })).toMatchObject({ email: 'a@mail.example' });
    await expect(aUser({ mail: 'a@mail.example' })).rejects.toThrow('POST /v2/user takes no mail.');
  });
});

it('leaves a database that it was given, so that the next service starts on the same data', async () => {
  const database = sqliteFile();
  await during(startService({ database }), async ({ aPet }) => void (await aPet({ name: 'Max' })));
  await during(startService({ database }), async ({ request }) =>
    expect(await (await request('/v1/pet/1')).json()).toMatchObject({ name: 'Max' }),
  );
  await database.drop();
});

it('passes days, and refuses what would not move its clock', () => {
  const clock = new SettableClock();
  const before = clock.now();
  clock.pass({ days: 2, hours: 1 });
  expect(clock.now() - before).toBe(49 * 3_600_000);
  expect(() => clock.pass({ weeks: 1 })).toThrow(TypeError);
  expect(() => clock.pass({ days: '2x' } as never)).toThrow(TypeError);
});

@Injectable()
class Greeting {
  text = 'hello';
}

@Controller({ path: 'greeting', version: '1' })
class GreetingController {
  constructor(private readonly greeting: Greeting) {}

  @Get()
  @Endpoint({ access: 'anyone', summary: 'Greet', answer: { type: Object, description: 'A greeting' } })
  greet() {
    return { text: this.greeting.text };
  }
}

@Module({ controllers: [GreetingController], providers: [Greeting] })
class GreetingModule {}

it('lets providers be replaced, as with the testing module of Nest', async () => {
  const modules = [GreetingModule];
  const greet = async ({ request }: RunningService) => expect(await (await request('/v1/greeting')).json());
  await during(startService({ modules }), async (service) => (await greet(service)).toEqual({ text: 'hello' }));
  await during(
    startService({ modules, overrides: (testing) => testing.overrideProvider(Greeting).useValue({ text: 'hey' }) }),
    async (service) => {
      (await greet(service)).toEqual({ text: 'hey' });
      expect(await service.aPet()).toMatchObject({ id: 1 });
    },
  );
});

import { Logger } from '@nestjs/common';
import { startApp, tokenFor } from './support/start-app';

jest.mock('sharp', () => {
  throw new Error('Could not load the "sharp" module using the linux-x64 runtime\nPossible solutions: …');
});

it('where sharp cannot be loaded, an upload is answered 501, and the log says why in one line', async () => {
  const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const running = await startApp();
  const token = await tokenFor(running);
  const { id } = (await running.http.post('/v1/pet').send({ name: 'Rex' }).expect(201)).body as { id: number };
  for (const _ of [1, 2]) {
    const upload = running.http.post(`/v2/pet/${id}/uploadImage`).set('Authorization', `Bearer ${token}`);
    const { body } = await upload.set('Content-Type', 'image/png').send('x').expect(501);
    expect(body).toMatchObject({ type: '/problems/photos-unavailable' });
  }
  await running.http.get(`/v2/pet/${id}/photos`).expect(200);
  expect(warned.mock.calls).toEqual([
    [expect.stringMatching(/^Photos cannot be uploaded, as sharp cannot be .*runtime$/)],
  ]);
  await running.stop();
});

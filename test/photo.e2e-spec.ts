import sharp from 'sharp';
import { holdWrites } from './support/held-writes';
import { image, newPet, photoOf, PhotoAlbum } from './support/photos';
import { startApp, type RunningApp } from './support/start-app';

let running: RunningApp;
let album: PhotoAlbum;
beforeAll(async () => {
  running = await startApp({ PHOTO_LIMIT_BYTES: '500000' });
});
beforeEach(async () => {
  await running.empty();
  album = await PhotoAlbum.in(running);
});
afterAll(() => running.stop());

describe('an upload', () => {
  it('answers the public message and the photo, and its address stands in photoUrls at once', async () => {
    const bytes = await image('png', 40, 30);
    const answer = await album.uploadForm(bytes, 'rex.png').field('additionalMetadata', 'In the garden').expect(200);
    expect(answer.body).toEqual({
      code: 200,
      type: 'unknown',
      message: `additionalMetadata: In the garden\nFile uploaded to ./rex.png, ${bytes.length} bytes`,
      photo: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url: expect.stringMatching(`^/v2/pet/${album.petId}/photos/[0-9a-f-]{36}$`),
        type: 'image/png',
        bytes: expect.any(Number),
        width: 40,
        height: 30,
        additionalMetadata: 'In the garden',
        uploadedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    });
    const { url } = photoOf(answer);
    expect(answer.headers['content-location']).toBe(url);
    expect(await album.read()).toMatchObject({ photoUrls: ['https://a.example/1.jpg', url] });
    expect((await running.http.get(`/v2/pet/${album.petId}`)).headers.etag).toBe(answer.headers.etag);
    const photo = await running.http.get(url).expect(200);
    expect(await sharp(photo.body as Buffer).metadata()).toMatchObject({ format: 'png', width: 40, height: 30 });
  });

  it.each(['jpeg', 'png', 'gif', 'webp'] as const)('takes %s by form, as its type and as bytes', async (format) => {
    const bytes = await image(format);
    const types = [`image/${format}`, 'application/octet-stream', 'image/png'];
    for (const type of types) {
      const answer = await album
        .upload()
        .query({ additionalMetadata: 'x' })
        .set('Content-Type', type)
        .send(bytes)
        .expect(200);
      expect(answer.body).toMatchObject({
        message: `additionalMetadata: x\nFile uploaded to ./photo, ${bytes.length} bytes`,
        photo: { type: format === 'gif' ? 'image/png' : `image/${format}`, width: 4, height: 3 },
      });
    }
    await album.uploadForm(bytes, 'x.exe').expect(200);
    expect((await album.read()).photoUrls).toHaveLength(5);
  });

  it('says null where nothing is said, and does not believe file names', async () => {
    const bytes = await image('jpeg');
    for (const [name, told] of [
      ['a/b\\c.jpg', 'c.jpg'],
      ['../../etc/passwd', 'passwd'],
      ['a\r\nX: y.jpg', 'aX: y.jpg'],
      ['Zoë 🐕.jpg', 'Zoë 🐕.jpg'],
    ] as const) {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(bytes)]), name);
      const answer = await fetch(running.url + album.path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${album.token}` },
        body: form,
      });
      expect(((await answer.json()) as { message: string }).message).toBe(
        `additionalMetadata: null\nFile uploaded to ./${told}, ${bytes.length} bytes`,
      );
    }
  });

  it.each([
    ['no file', () => album.upload().field('additionalMetadata', 'x'), 400],
    ['a text in its place', () => album.upload().field('file', 'x'), 400],
    ['another field', async () => album.upload().attach('photo', await image('jpeg'), 'a.jpg'), 400],
    ['two files', async () => album.uploadForm(await image('jpeg')).attach('file', await image('jpeg'), 'b.jpg'), 400],
    [
      'metadata in form and query',
      async () =>
        album
          .uploadForm(await image('jpeg'))
          .query({ additionalMetadata: 'a' })
          .field('additionalMetadata', 'b'),
      400,
    ],
    [
      'long metadata',
      async () => album.uploadForm(await image('jpeg')).field('additionalMetadata', 'x'.repeat(1_025)),
      400,
    ],
    ['no boundary', () => album.upload().set('Content-Type', 'multipart/form-data').send('x'), 400],
    ['no body', () => album.upload().set('Content-Type', 'image/png'), 400],
    ['another type', () => album.upload().set('Content-Type', 'text/plain').send('x'), 415],
    ['JSON', () => album.upload().set('Content-Type', 'application/json').send('{'), 415],
    ['a coding', () => album.upload().set({ 'Content-Type': 'image/png', 'Content-Encoding': 'gzip' }).send('x'), 415],
    ['too much as bytes', () => album.uploadBytes(Buffer.alloc(500_001)), 413],
    ['too much in a form', () => album.uploadForm(Buffer.alloc(500_001)), 413],
    [
      'no pet',
      () =>
        album
          .upload(`/v2/pet/${album.petId + 1}/uploadImage`)
          .set('Content-Type', 'text/plain')
          .send('x'),
      404,
    ],
    ['another state', () => album.upload().set('If-Match', '"x"').set('Content-Type', 'text/plain').send('x'), 412],
  ])('with %s is refused', async (_, send, status) => {
    const answer = await send();
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      'application/problem+json; charset=utf-8',
    ]);
    expect((await album.read()).photoUrls).toHaveLength(1);
  });

  it('is repeated under its key', async () => {
    const [bytes, other] = [await image('jpeg'), await image('jpeg', 5, 5)];
    const once = (file: Buffer, name = 'a.jpg') => album.uploadForm(file, name).set('Idempotency-Key', 'k');
    const first = await once(bytes).expect(200);
    const again = await once(bytes).expect(200);
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true']);
    await once(other).expect(422);
    await once(bytes, 'b.jpg').expect(422);
    expect((await album.read()).photoUrls).toHaveLength(2);
  });

  it('is repeated whatever has become of its pet', async () => {
    const bytes = await image('jpeg');
    const { etag } = (await running.http.get(`/v2/pet/${album.petId}`)).headers;
    const once = () => album.uploadBytes(bytes).set({ 'Idempotency-Key': 'k', 'If-Match': etag! });
    const first = await once().expect(200);
    expect((await once().expect(200)).body).toEqual(first.body);
    await album.authorized('delete', `/v2/pet/${album.petId}`).expect(200);
    expect((await once().expect(200)).body).toEqual(first.body);
    await once().set('Idempotency-Key', 'l').expect(404);
  });

  it('is refused while the first one under its key runs', async () => {
    const bytes = await image('jpeg');
    const release = await holdWrites(running);
    const racing = [1, 2].map(() => album.uploadForm(bytes).set('Idempotency-Key', 'k').then());
    const { status, body } = await Promise.race(racing);
    expect([status, body]).toEqual([409, expect.objectContaining({ type: '/problems/still-running' })]);
    await release();
    await Promise.all(racing);
  });

  it('is refused beyond 20 photos, in a race too', async () => {
    const bytes = await image('jpeg');
    const answers = await Promise.all(Array.from({ length: 50 }, () => album.uploadBytes(bytes)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(20).fill(200), ...Array<number>(30).fill(409)]);
    expect(await album.list()).toHaveLength(20);
    expect((await album.read()).photoUrls).toHaveLength(21);
  });
});

describe('photos', () => {
  it('are listed in order of upload', async () => {
    expect(await album.list()).toEqual([]);
    const photos = [];
    for (const width of [3, 1, 2]) {
      photos.push(photoOf(await album.uploadForm(await image('jpeg', width, 1)).expect(200)));
    }
    expect(await album.list()).toEqual(photos);
    await running.http.get(`/v2/pet/${album.petId + 1}/photos`).expect(404);
  });

  it.each([
    ['jpeg', 'jpg'],
    ['png', 'png'],
    ['webp', 'webp'],
  ] as const)('of %s are served as what they are and nothing else', async (format, ending) => {
    const { id, url } = photoOf(await album.uploadForm(await image(format)).expect(200));
    const { headers, body } = await running.http.get(url).expect(200);
    expect(headers).toMatchObject({
      'content-type': `image/${format}`,
      'content-length': String((body as Buffer).length),
      'content-disposition': `inline; filename="pet-${album.petId}-${id}.${ending}"`,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[0-9a-z]+"$/),
    });
    const head = await running.http.head(url).expect(200);
    expect(head.headers).toMatchObject({ 'content-length': headers['content-length'], etag: headers.etag });
    const unchanged = await running.http.get(url).set('If-None-Match', headers.etag!).expect(304);
    expect(unchanged.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const refused = await running.http.get(url).set('If-Match', '"x"').expect(412);
    expect(refused.headers['cache-control']).toBeUndefined();
  });

  it.each(['x', '7c1d3a1e-5b0f-4c55-9d55-0f6a8f0d2f11', 'x'.repeat(1_000), '%F0%9F%90%95'])(
    'answer 404 for %s',
    async (id) => {
      const { headers } = await running.http.get(`/v2/pet/${album.petId}/photos/${id}`).expect(404);
      expect(headers['cache-control']).toBeUndefined();
      await album.authorized('delete', `/v2/pet/${album.petId}/photos/${id}`).expect(404);
    },
  );

  it('answer 400 for a pet that cannot be', async () => {
    await running.http.get('/v2/pet/x/photos').expect(400);
    await running.http.get('/v2/pet/0/photos/x').expect(400);
    await album.authorized('delete', '/v2/pet/0/photos/x').expect(400);
  });

  it('belong to their pet alone', async () => {
    const { id } = photoOf(await album.uploadForm(await image('jpeg')));
    const other = await newPet(running);
    await running.http.get(`/v2/pet/${other}/photos/${id}`).expect(404);
    await album.authorized('delete', `/v2/pet/${other}/photos/${id}`).expect(404);
  });

  it('are deleted, if the pet is in the state that is asked for', async () => {
    const uploaded = await album.uploadForm(await image('jpeg'));
    const { url } = photoOf(uploaded);
    await album.authorized('delete', url).set('If-Match', '"x"').expect(412);
    const { headers } = await album.authorized('delete', url).set('If-Match', uploaded.headers.etag!).expect(200);
    expect((await running.http.get(`/v2/pet/${album.petId}`)).headers.etag).toBe(headers.etag);
    expect((await album.read()).photoUrls).toEqual(['https://a.example/1.jpg']);
    await running.http.get(url).expect(404);
    await album.authorized('delete', url).expect(404);
    await album.authorized('delete', `/v2/pet/${album.petId + 1}/photos/x`).expect(404);
  });

  it('stay where PUT names them, whatever stands before their path, and go where it does not', async () => {
    const [first, second] = [
      photoOf(await album.uploadForm(await image('jpeg'))),
      photoOf(await album.uploadForm(await image('jpeg'))),
    ];
    const put = async (photoUrls: string[]) =>
      album
        .authorized('put', '/v2/pet')
        .send({ ...(await album.read()), photoUrls })
        .expect(200);
    await put((await album.read()).photoUrls);
    await running.http.get(first.url).expect(200);
    await put([`https://cdn.example/x${second.url}`]);
    await running.http.get(first.url).expect(404);
    await running.http.get(second.url).expect(200);
    await put([]);
    await running.http.get(second.url).expect(404);
    expect(await running.query('SELECT "id" FROM "pet_photo"')).toEqual([]);
  });

  it('go with their pet', async () => {
    const { url } = photoOf(await album.uploadForm(await image('jpeg')));
    await album.authorized('delete', `/v2/pet/${album.petId}`).expect(200);
    await running.http.get(url).expect(404);
    expect(await running.query('SELECT "id" FROM "pet_photo"')).toEqual([]);
  });
});

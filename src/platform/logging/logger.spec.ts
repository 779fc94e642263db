import { AppLogger } from './logger';

let lines: string[];
beforeEach(() => (lines = []));
const logger = (logFormat: 'json' | 'pretty' = 'json') =>
  new AppLogger({ logLevel: 'info', logFormat }, { write: (line) => void lines.push(line) });
const last = () => JSON.parse(lines.at(-1)!) as Record<string, unknown>;

const finished = { id: 'r-1', method: 'PUT', route: '/v2/pet', status: 200, ms: 1.5, userId: '7', aborted: false };

it('writes one JSON line a request', () => {
  logger().request(finished);
  expect(lines).toHaveLength(1);
  expect(last()).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    msg: 'request',
    requestId: 'r-1',
    method: 'PUT',
    route: '/v2/pet',
    status: 200,
    ms: 1.5,
    userId: '7',
  });
});

it('says when a request was aborted', () => {
  logger().request({ ...finished, status: null, aborted: true });
  expect(last()).toMatchObject({ status: null, aborted: true });
});

it('writes no health checks and none of the wiring at level info', () => {
  logger().request({ ...finished, route: '/health/ready' });
  logger().log('AppModule dependencies initialized', 'InstanceLoader');
  expect(lines).toEqual([]);
});

it('writes an error with its stack and its causes, and no other member of it', () => {
  const error = Object.assign(new Error('failed', { cause: new Error('disk full') }), { parameters: ['canary'] });
  logger().error({ requestId: 'r-1', err: error }, 'ProblemFilter');
  expect(last()).toMatchObject({
    level: 'error',
    context: 'ProblemFilter',
    requestId: 'r-1',
    err: {
      message: 'failed',
      stack: expect.stringContaining('logger.spec') as string,
      cause: { message: 'disk full' },
    },
  });
  expect(lines[0]).not.toContain('canary');
});

it('keeps the stack that Nest hands over', () => {
  logger().error('failed', 'at somewhere', 'Context');
  expect(last()).toMatchObject({ msg: 'failed', stack: 'at somewhere', context: 'Context' });
});

it('is one readable line a request when pretty', () => {
  logger('pretty').request(finished);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/INFO.*request.*"route":"\/v2\/pet"/);
});

describe('a flood of failures', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());
  const unavailable = () => new Error('not available', { cause: new Error('the server is away') });
  const flood = (log: AppLogger) => {
    for (let n = 0; n < 500; n++) {
      log.error({ requestId: `r-${n}`, err: unavailable() }, 'ProblemFilter');
      log.request({ ...finished, id: `r-${n}`, status: 503 });
    }
  };

  it('is one line a second and kind, with the number of the others', () => {
    const log = logger();
    flood(log);
    expect(lines).toHaveLength(2);
    for (let second = 1; second <= 3; second++) {
      jest.advanceTimersByTime(1_000);
      flood(log);
    }
    expect(lines).toHaveLength(8);
    const later = lines.slice(2).map((line) => JSON.parse(line) as Record<string, unknown>);
    const text = 'Error: not available; Error: the server is away';
    expect(later.map(({ msg }) => msg)).toEqual([text, 'request', text, 'request', text, 'request']);
    expect(later.map(({ repeated }) => repeated)).toEqual([499, 499, 500, 500, 500, 500]);
    expect(lines.slice(2).join()).not.toContain('logger.spec');
  });

  it('does not keep back another failure, nor what succeeds', () => {
    const log = logger();
    flood(log);
    log.error({ requestId: 'other', err: new Error('another') }, 'ProblemFilter');
    log.request(finished);
    log.request(finished);
    expect(lines).toHaveLength(5);
  });

  it('tells the first of a kind at once again after a second of silence', () => {
    const log = logger();
    flood(log);
    jest.advanceTimersByTime(2_000);
    log.error({ requestId: 'later', err: unavailable() }, 'ProblemFilter');
    expect(last()).toMatchObject({
      requestId: 'later',
      err: { stack: expect.stringContaining('logger.spec') as string },
    });
  });

  it('is bounded also when every line is another', () => {
    const log = logger();
    for (let n = 0; n < 1_000; n++) log.error({ requestId: `r-${n}`, err: new Error(`kind ${n}`) }, 'ProblemFilter');
    expect(lines.length).toBeLessThan(110);
  });
});

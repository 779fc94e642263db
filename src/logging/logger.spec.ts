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

import { Problem, problemKind } from '../common/problem';

export const NOT_READY = problemKind(
  'not-ready',
  503,
  'Not ready',
  'This process should get no requests now; `detail` says why',
);

export class NotReady extends Problem {
  constructor(reason: string) {
    super(NOT_READY, reason, { headers: { 'Retry-After': '1' } });
  }
}

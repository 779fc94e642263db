import { Problem } from '../common/problem';
import { KEY_REUSED, STILL_RUNNING } from '../http';

export class KeyReused extends Problem {
  constructor() {
    super(KEY_REUSED, 'This Idempotency-Key came before, with another request, or for what has been deleted since.');
  }
}

export class StillRunning extends Problem {
  constructor() {
    const headers = { 'Retry-After': '1' };
    super(STILL_RUNNING, 'Another request with this Idempotency-Key is not answered yet.', { headers });
  }
}

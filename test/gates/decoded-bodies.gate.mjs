// Memory beside an idle twin: bodies that are small as sent and large when decoded take no more of it than one does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { after, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { start, temporaryFolder } from '../support/built-service.mjs';

const AT_ONCE = 1_500;
/** Most requests of one network that an operation works on. */
const NETWORKS = 12;
const WHOLE_BODY = 1_048_576;
const MORE_MIB = 150;
const CODINGS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

const folder = temporaryFolder(after);
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
after(() => agent.destroy());

/** The most that it ever had in memory, in MiB; Linux alone tells. */
const peakOf = ({ pid }) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;

function post(url, coding, body, network) {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Encoding': coding,
    'Content-Length': body.length,
    'X-Forwarded-For': `10.${network}.0.1`,
  };
  return new Promise((resolve, reject) =>
    request(`${url}/v1/pet`, { agent, method: 'POST', headers }, (res) =>
      res.resume().once('end', () => resolve(res.statusCode)),
    )
      .once('error', reject)
      .end(body),
  );
}

for (const [coding, encode] of Object.entries(CODINGS)) {
  test(`${AT_ONCE} small bodies of ${coding} that become large take little memory, and a neighbour's pass them`, async () => {
    const settings = (name) => ({ DATABASE_URL: `sqlite:${folder}/${coding}-${name}.sqlite`, TRUSTED_PROXIES: '1' });
    const [service, idle] = [await start(settings('service')), await start(settings('idle'))];
    const bomb = encode(Buffer.from('{"name":"Rex"}'.padEnd(WHOLE_BODY)));
    assert.ok(bomb.length < 2_000);
    let left = AT_ONCE;
    const all = Array.from({ length: AT_ONCE }, (_, n) =>
      post(service.url, coding, bomb, n % NETWORKS).finally(() => (left -= 1)),
    );
    const small = encode(Buffer.from('{"name":"Max"}'));
    assert.equal(await post(service.url, coding, small, 99), 201);
    assert.ok(left > 0, 'a small body waited behind all the large ones');
    const statuses = await Promise.all(all);
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 201 && status !== 503),
      [],
    );
    const more = peakOf(service) - peakOf(idle);
    assert.ok(more < MORE_MIB, `${more.toFixed(0)} MiB more than an idle service`);
    await Promise.all([service.stop(), idle.stop()]);
  });
}

// argon2 alone: for each line "hash|verify MS AT_ONCE [COUNT]" on standard input it works for so long, or until COUNT
// are done, and answers how many a second.
import { createInterface } from 'node:readline';
import { hashPassword, verifyPassword } from './store.mjs';

const hashed = await hashPassword('right');
const WORK = { hash: () => hashPassword('right'), verify: () => verifyPassword(hashed, 'right') };

for await (const line of createInterface({ input: process.stdin })) {
  const [kind, ms, atOnce, count = Infinity] = line.split(' ');
  const began = performance.now();
  let started = 0;
  let done = 0;
  const loop = async () => {
    while (performance.now() - began < Number(ms) && started < Number(count)) {
      started += 1;
      await WORK[kind]();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, loop));
  console.log((done * 1_000) / (performance.now() - began));
}

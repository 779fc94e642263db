// npm run check: everything that looks at the sources, side by side, since most of it runs on one core only.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

const CHECKS = ['lint', 'typecheck', 'typecheck:scripts', 'format', 'walls', 'lint:containers', 'lint:lockfiles'];

const results = await Promise.all(
  CHECKS.map(async (check) => {
    const began = performance.now();
    const run = spawn('npm', ['run', '--silent', check], { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise((resolve) => run.once('close', resolve));
    const [output, errors, code] = await Promise.all([text(run.stdout), text(run.stderr), ended]);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${check} (${seconds} s)`);
    if (code !== 0) {
      console.log(output + errors);
    }
    return code;
  }),
);
process.exitCode = results.every((code) => code === 0) ? 0 : 1;

// Writes the tables of docs/performance.md, between their marks, and its plot from bench/results.
import { readFileSync, writeFileSync } from 'node:fs';
import { requestCases } from './cases/requests.mjs';
import { barChart } from './lib/bar-chart.mjs';
import { median, ratios, strays } from './lib/paired.mjs';
import { read } from './lib/results.mjs';
import { SERVERS } from './lib/servers.mjs';
import { format, resolveConfig } from 'prettier';

const DOC = new URL('../docs/performance.md', import.meta.url);
const PLOT = new URL('../docs/performance.svg', import.meta.url);
const PEERS = ['nest-typeorm', 'fastify-drizzle', 'express', 'express-bare', 'hono', 'node-http', 'previous'];

const row = (cells) => `| ${cells.join(' | ')} |`;
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const two = (ratio) => ratio.toFixed(2);
const of = (measured, measure) => median(measured.map((one) => one[measure]));

/** Each peer's two ratios in a case; what the A/A pair of the case makes void is crossed out. */
function requestsTable() {
  const rows = Object.entries(requestCases).flatMap(([name, { about }]) => {
    const results = read(name);
    if (!results.again) {
      return [];
    }
    const aa = ratios(results.again.measured);
    const mark = (measure, ratio) => (strays(aa[measure]) ? `~~${two(ratio)}~~` : two(ratio));
    const cells = PEERS.map((peer) => {
      if (!results[peer]) {
        return '';
      }
      const { rate, cpu } = ratios(results[peer].measured);
      return `${mark('cpu', cpu)} / ${mark('rate', rate)}`;
    });
    const ours = Object.values(results).flatMap(({ measured }) => measured.map(({ product }) => product));
    const micros = of(ours, 'cpuUs');
    const cpu = micros > 10_000 ? `${(micros / 1_000).toFixed(1)} ms` : `${Math.round(micros)} µs`;
    return [[about, cpu, `${two(aa.cpu)} / ${two(aa.rate)}`, ...cells]];
  });
  return table(['', 'our CPU', 'A/A', ...PEERS.map((peer) => SERVERS[peer].label)], rows);
}

function startTable() {
  const rows = Object.entries(read('start')).map(([name, { measured }]) => [
    SERVERS[name].label,
    `${Math.round(of(measured, 'ms'))} ms`,
    `${Math.round(of(measured, 'cpuMs'))} ms`,
    `${Math.round(of(measured, 'rssMiB'))} MiB`,
  ]);
  return table(['', 'first answer after', 'CPU until then', 'memory then'], rows);
}

function memoryTable() {
  const { product } = read('memory');
  const rows = (product?.measured ?? [])
    .filter((_, index) => index % 5 === 0)
    .map(({ requests, rssMiB }) => [requests.toLocaleString('en'), `${Math.round(rssMiB)} MiB`]);
  return table(['requests', 'memory'], rows);
}

function idleTable() {
  const rows = Object.entries(read('idle')).map(([variant, { measured }]) => {
    const pair = (what, unit) => {
      const [before, after] = ['before', 'after'].map((when) =>
        of(
          measured.map((round) => round[when]),
          what,
        ),
      );
      return `${Math.round(before)} → ${Math.round(after)} ${unit}`;
    };
    return [
      variant,
      pair('first100Ms', 'µs'),
      pair('firstSecond', 'µs'),
      pair('thirdSecond', 'µs'),
      pair('rssMiB', 'MiB'),
    ];
  });
  return table(['', 'first 100 ms', 'first second', 'third second', 'memory'], rows);
}

function hashingTable() {
  const rows = Object.entries(read('hashing')).map(([where, { measured }]) => {
    const ratio = (a, b) => median(measured.map((round) => round[a] / round[b])).toFixed(3);
    const rates = `${of(measured, 'logIns').toFixed(1)}/s of ${of(measured, 'verified').toFixed(1)}/s`;
    return [where, rates, ratio('logIns', 'verified'), ratio('created', 'hashed')];
  });
  return table(['', 'log-ins, of what argon2 alone does', 'log-ins ÷ argon2', 'bulk of 100 ÷ argon2'], rows);
}

function flatTable() {
  const rows = Object.entries(read('flat')).map(([name, { measured }]) => [
    name,
    `${Math.round(of(measured, 'few'))} µs`,
    `${Math.round(of(measured, 'many'))} µs`,
    two(median(measured.map(({ few, many }) => many / few))),
  ]);
  return table(['', 'CPU at 1,000', 'CPU at 1,000,000', 'median ratio of pairs'], rows);
}

/** Layers that take a hundredth of a request anywhere. */
function profileTable() {
  const results = Object.entries(read('profile')).map(([name, { measured }]) => {
    const sum = Object.values(measured).reduce((total, us) => total + us, 0);
    return { name, sum, share: (layer) => (measured[layer] ?? 0) / sum, measured };
  });
  const layers = [...new Set(results.flatMap(({ measured }) => Object.keys(measured)))];
  const rows = layers
    .map((layer) => ({ layer, shares: results.map(({ share }) => share(layer)) }))
    .filter(({ shares }) => Math.max(...shares) >= 0.01)
    .toSorted((a, b) => b.shares[0] - a.shares[0])
    .map(({ layer, shares }) => [layer, ...shares.map((share) => `${Math.round(100 * share)} %`)]);
  return table(['', ...results.map(({ name, sum }) => `${name} (${Math.round(sum)} µs)`)], rows);
}

function plot() {
  const peers = ['nest-typeorm', 'fastify-drizzle', 'express', 'hono'];
  const groups = Object.entries(requestCases).flatMap(([name, { about }]) => {
    const results = read(name);
    const bars = peers.flatMap((peer) =>
      results[peer] ? [{ series: SERVERS[peer].label, value: ratios(results[peer].measured).cpu }] : [],
    );
    return bars.length > 0 ? [{ name: about, bars }] : [];
  });
  return barChart({ title: 'CPU of a request, ours ÷ theirs (less is better; 1 is as much as they)', groups });
}

export async function report() {
  const text = Object.entries({
    requests: requestsTable(),
    profile: profileTable(),
    start: startTable(),
    memory: memoryTable(),
    idle: idleTable(),
    hashing: hashingTable(),
    flat: flatTable(),
  }).reduce(
    (doc, [name, content]) =>
      doc.replace(
        new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end -->)`),
        (_, begin, end) => `${begin}\n${content}\n\n${end}`,
      ),
    readFileSync(DOC, 'utf8'),
  );
  writeFileSync(DOC, await format(text, { ...(await resolveConfig(DOC)), parser: 'markdown' }));
  writeFileSync(PLOT, plot());
}

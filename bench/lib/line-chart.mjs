// A line chart as SVG, in colours that are readable on light and on dark pages.

const WIDTH = 720;
const HEIGHT = 360;
const LEFT = 70;
const RIGHT = 20;
const TOP = 50;
const BOTTOM = 60;
const COLOURS = ['#2563eb', '#dc2626', '#059669'];

/** `series`: [{ name, points: [[x, y], …] }]; all axes begin at 0. */
export function lineChart({ title, xLabel, yLabel, series }) {
  const all = series.flatMap(({ points }) => points);
  const xMax = Math.max(...all.map(([value]) => value));
  const yMax = niceMax(Math.max(...all.map(([, value]) => value)));
  const x = (value) => LEFT + (value / xMax) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - (value / yMax) * (HEIGHT - TOP - BOTTOM);
  const text = (px, py, anchor, content, more = '') =>
    `<text x="${px}" y="${py}" text-anchor="${anchor}" ${more}>${content}</text>`;
  const steps = [0, 0.25, 0.5, 0.75, 1];
  const grid = steps.flatMap((part) => [
    `<path d="M${LEFT} ${y(part * yMax)}H${WIDTH - RIGHT}" stroke="#9ca3af" stroke-width="0.5"/>`,
    text(LEFT - 8, y(part * yMax) + 4, 'end', format(part * yMax)),
    text(x(part * xMax), HEIGHT - BOTTOM + 20, 'middle', format(part * xMax)),
  ]);
  const lines = series.flatMap(({ name, points }, index) => [
    `<path d="M${points.map(([px, py]) => `${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('L')}" fill="none" stroke="${COLOURS[index]}" stroke-width="2"/>`,
    text(LEFT + 10 + index * 200, TOP - 10, 'start', name, `style="fill:${COLOURS[index]}"`),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<style>text{fill:#6b7280}</style>`,
    text(WIDTH / 2, 20, 'middle', title, 'font-size="15"'),
    ...grid,
    ...lines,
    text((LEFT + WIDTH) / 2, HEIGHT - 15, 'middle', xLabel),
    text(18, HEIGHT / 2, 'middle', yLabel, `transform="rotate(-90 18 ${HEIGHT / 2})"`),
    '</svg>\n',
  ].join('\n');
}

function niceMax(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * unit).find((candidate) => candidate >= value);
}

const format = (value) => value.toLocaleString('en', { maximumFractionDigits: 1 });

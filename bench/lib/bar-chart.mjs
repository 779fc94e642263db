// Groups of horizontal bars as SVG, in colours that are readable on light and on dark pages.

const WIDTH = 720;
const LEFT = 230;
const RIGHT = 50;
const TOP = 70;
const BAR = 11;
const GAP = 12;
const COLOURS = ['#2563eb', '#dc2626', '#059669', '#d97706'];

const escaped = (text) => text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`).replaceAll('`', '');

/** `groups`: [{ name, bars: [{ series, value }] }]; a line marks 1. */
export function barChart({ title, groups }) {
  const series = [...new Set(groups.flatMap(({ bars }) => bars.map((bar) => bar.series)))];
  const max = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const x = (value) => LEFT + (value / max) * (WIDTH - LEFT - RIGHT);
  const text = (px, py, anchor, content, more = '') =>
    `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" text-anchor="${anchor}" ${more}>${escaped(content)}</text>`;
  let y = TOP;
  const drawn = groups.flatMap(({ name, bars }) => {
    const top = y;
    y += bars.length * BAR + GAP;
    return [
      text(LEFT - 8, top + (bars.length * BAR) / 2 + 4, 'end', name),
      ...bars.flatMap(({ series: of, value }, index) => {
        const colour = COLOURS[series.indexOf(of)];
        const at = top + index * BAR;
        return [
          `<rect x="${LEFT}" y="${at}" width="${(x(value) - LEFT).toFixed(1)}" height="${BAR - 1}" fill="${colour}"/>`,
          text(x(value) + 4, at + BAR - 2, 'start', value.toFixed(2), 'font-size="9"'),
        ];
      }),
    ];
  });
  const legend = series.map((name, index) =>
    text(10 + (index * (WIDTH - 20)) / series.length, 48, 'start', name, `style="fill:${COLOURS[index]}"`),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="sans-serif" font-size="11">`,
    `<style>text{fill:#6b7280}</style>`,
    text(WIDTH / 2, 20, 'middle', title, 'font-size="14"'),
    ...legend,
    ...drawn,
    `<path d="M${x(1).toFixed(1)} ${TOP - 6}V${y - GAP + 4}" stroke="#6b7280" stroke-dasharray="4 3"/>`,
    '</svg>\n',
  ].join('\n');
}

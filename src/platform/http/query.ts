import { BAD_REQUEST, Problem } from '../common/problem';

/** More than any operation has, by far. */
const MAX_PARAMETERS = 1_000;

/**
 * Reads a query string or a form, `+` as a space; a parameter that stands more than once becomes an array. Throws a
 * Problem (400) for more than 1,000 parameters, and for escapes that are broken or not UTF-8: Node's own parser would
 * guess what they mean.
 */
export function parseQuery(text: string | null): Record<string, string | string[]> {
  const pairs = (text ?? '').split('&', MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) {
    throw new Problem(BAD_REQUEST, `There are more than ${MAX_PARAMETERS} parameters.`);
  }
  const parameters = new Map<string, string[]>();
  for (const pair of pairs.filter((part) => part !== '')) {
    const end = pair.indexOf('=');
    const name = decode(end < 0 ? pair : pair.slice(0, end));
    const value = end < 0 ? '' : decode(pair.slice(end + 1));
    const earlier = parameters.get(name);
    if (earlier) {
      earlier.push(value);
    } else {
      parameters.set(name, [value]);
    }
  }
  return Object.fromEntries([...parameters].map(([name, values]) => [name, values.length > 1 ? values : values[0]!]));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw new Problem(BAD_REQUEST, 'A parameter holds a broken percent escape.');
  }
}

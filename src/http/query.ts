import { BAD_REQUEST, Problem } from '../common/problem';

/**
 * Reads a query string, `+` as a space; a parameter that stands more than once becomes an array.
 * Throws a Problem (400) for escapes that are broken or not UTF-8: Node's own parser would guess.
 */
export function parseQuery(text: string | null): Record<string, string | string[]> {
  const parameters = new Map<string, string | string[]>();
  for (const pair of (text ?? '').split('&').filter((part) => part !== '')) {
    const [name, ...value] = pair.split('=').map(decode);
    const earlier = parameters.get(name!);
    const latest = value.join('=');
    parameters.set(name!, earlier === undefined ? latest : [earlier, latest].flat());
  }
  return Object.fromEntries(parameters);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw new Problem(BAD_REQUEST, 'The query string holds a broken percent escape.');
  }
}

/**
 * The values of all cookies of a name, without their quotes: a client may hold several, of several paths or domains,
 * and a map of names to values would hide all but one.
 */
export const cookiesNamed = (name: string, header = ''): string[] =>
  header.split(/[;,]/).flatMap((pair) => {
    const at = pair.indexOf('=');
    const value = pair.slice(at + 1).trim();
    return at >= 0 && pair.slice(0, at).trim() === name ? [value.replace(/^"(.*)"$/, '$1')] : [];
  });

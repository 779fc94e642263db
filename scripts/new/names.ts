import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** PostgreSQL cuts the names of tables and indexes at 63 bytes. */
const LONGEST = 40;

/** The names that a template has for its module, each in the spelling of the place where it stands. */
export function namesOf(kebab: string) {
  const words = kebab.split('-');
  const pascal = words.map(capital).join('');
  const plural = pluralOf(words.join(' '));
  const pascalPlural = pluralOf(pascal);
  return {
    kebab,
    table: words.join('_'),
    name: uncapital(pascal),
    names: uncapital(pascalPlural),
    Name: pascal,
    Names: pascalPlural,
    NAME: words.join('_').toUpperCase(),
    words: words.join(' '),
    Words: capital(words.join(' ')),
    plural,
    Plural: capital(plural),
    a: /^[aeiou]/.test(kebab) ? 'an' : 'a',
  };
}

export type Names = ReturnType<typeof namesOf>;

const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);
const uncapital = (text: string) => text[0]!.toLowerCase() + text.slice(1);
const pluralOf = (text: string) =>
  /[^aeiou]y$/.test(text) ? text.replace(/y$/, 'ies') : /(s|x|z|ch|sh)$/.test(text) ? `${text}es` : `${text}s`;

/** Why no module can be called so, in a sentence; undefined where one can. `templates` are texts of its files. */
export function objectionTo(kebab: string, templates: string[]): string | undefined {
  if (!/^[a-z][a-z\d]*(-[a-z][a-z\d]*)*$/.test(kebab)) {
    return `"${kebab}" is no name for a module: write it in kebab-case and in the singular, as in animal-shelter.`;
  }
  if (kebab.length > LONGEST) {
    return `"${kebab}" is too long: a name has at most ${LONGEST} characters.`;
  }
  const { name, names, Name, Names, table } = namesOf(kebab);
  if (existsSync(`src/${kebab}`)) {
    return `There is a module ${kebab} already: src/${kebab}/.`;
  }
  if (existsSync(`test/${kebab}.e2e-spec.ts`)) {
    return `The name ${kebab} is taken by test/${kebab}.e2e-spec.ts, where the tests of the module would be.`;
  }
  if ([name, names].some(isReserved) || Name in globalThis) {
    return `The name ${kebab} is reserved: JavaScript has another meaning for ${Name in globalThis ? Name : name}.`;
  }
  if (importedIn(templates).has(Name)) {
    return `The name ${kebab} is taken: the files of a module import something else that is called ${Name}.`;
  }
  if (migrationsMention(table)) {
    return `The name ${kebab} is taken: a migration speaks of a table "${table}".`;
  }
  const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApi;
  const known = [...Object.keys(document.components.schemas), ...operationIdsOf(document)];
  const made = [Name, `Create${Name}`, `Change${Name}`, `list${Names}`];
  const clash = made.find((one) => known.includes(one));
  return clash && `The name ${kebab} is taken: openapi.json has a ${clash} already.`;
}

interface OpenApi {
  components: { schemas: object };
  paths: Record<string, Record<string, { operationId: string }>>;
}

const operationIdsOf = ({ paths }: OpenApi) =>
  Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));

function isReserved(word: string): boolean {
  try {
    new Script(`'use strict'; async () => { let ${word}; }`);
    return false;
  } catch {
    return true;
  }
}

const importedIn = (templates: string[]) =>
  new Set(
    templates.flatMap((text) =>
      [...text.matchAll(/^import (?:type )?\{([^}]*)\}/gms)].flatMap(([, names]) => names!.match(/\b[A-Z]\w*/g) ?? []),
    ),
  );

function migrationsMention(table: string): boolean {
  const folder = 'src/platform/database/migrations';
  return readdirSync(folder).some((file) => readFileSync(join(folder, file), 'utf8').includes(`"${table}"`));
}

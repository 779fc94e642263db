interface Node<T> {
  literal: Map<string, Node<T>>;
  parameter?: { name: string; next: Node<T> };
  value?: T;
}

/** What stands at a path, and its parameters as they were sent, still percent-encoded. */
export interface Found<T> {
  value: T;
  parameters: Record<string, string>;
}

/**
 * Values by path template, as in `/v2/pet/{petId}`. A literal segment comes before a parameter, letter case counts,
 * a parameter is never empty, and one slash at the end is overlooked.
 */
export class PathTable<T> {
  private readonly root: Node<T> = { literal: new Map() };

  /** The value at this template; where there is none, the one that `make` answers. */
  at(template: string, make: () => T): T {
    let node = this.root;
    for (const segment of segmentsOf(template)) {
      node = next(node, segment, template);
    }
    return (node.value ??= make());
  }

  get(template: string): T | undefined {
    let node: Node<T> | undefined = this.root;
    for (const segment of segmentsOf(template)) {
      node = parameterName(segment) === undefined ? node?.literal.get(segment) : node?.parameter?.next;
    }
    return node?.value;
  }

  find(path: string): Found<T> | undefined {
    if (!path.startsWith('/')) {
      return undefined;
    }
    const parameters: Record<string, string> = {};
    const value = walk(this.root, segmentsOf(path), 0, parameters);
    return value === undefined ? undefined : { value, parameters };
  }
}

/** The names of the parameters in a template. */
export const parametersIn = (template: string): string[] =>
  segmentsOf(template).flatMap((segment) => parameterName(segment) ?? []);

function segmentsOf(path: string): string[] {
  return (path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/');
}

const parameterName = (segment: string) => /^\{(\w+)\}$/.exec(segment)?.[1];

function next<T>(node: Node<T>, segment: string, template: string): Node<T> {
  const name = parameterName(segment);
  if (name === undefined) {
    const known = node.literal.get(segment) ?? { literal: new Map<string, Node<T>>() };
    node.literal.set(segment, known);
    return known;
  }
  node.parameter ??= { name, next: { literal: new Map() } };
  if (node.parameter.name !== name) {
    throw new Error(
      `${template} calls {${name}} what another template calls {${node.parameter.name}}: ` +
        'a place in a path has one name, or OpenAPI could not tell them apart',
    );
  }
  return node.parameter.next;
}

function walk<T>(node: Node<T>, segments: string[], index: number, parameters: Record<string, string>): T | undefined {
  if (index === segments.length) {
    return node.value;
  }
  const segment = segments[index]!;
  const literal = node.literal.get(segment);
  const found = literal && walk(literal, segments, index + 1, parameters);
  if (found !== undefined || !node.parameter || segment === '') {
    return found;
  }
  parameters[node.parameter.name] = segment;
  return walk(node.parameter.next, segments, index + 1, parameters);
}

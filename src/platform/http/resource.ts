import type { DeclaredRoute, Parameters } from './declared-routes';

const NONE: readonly DeclaredRoute[] = [];
/** Allow of an operation that takes all methods. There are others, which nobody asks for. */
const ALL = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The value of the Allow header; OPTIONS is answered everywhere. */
export const allowOf = (methods: string[]) =>
  [...new Set([...methods.flatMap((method) => (method === 'ALL' ? ALL : [method])), 'OPTIONS'])].join(', ');

/** What stands at one path. */
export class Resource {
  private readonly routes = new Map<string, DeclaredRoute[]>();
  allow = '';

  /** What its path begins with, up to a parameter: asked first, since to read a path takes longer. */
  private readonly beginning: string;

  constructor(private readonly first: DeclaredRoute) {
    this.beginning = first.path.split(/[:*{\\]/, 1)[0]!;
  }

  get template(): string {
    return this.first.operation.template;
  }

  get isPlain(): boolean {
    return this.first.isPlain;
  }

  get isLiteral(): boolean {
    return this.isPlain && this.beginning === this.template;
  }

  /** The parameters of a path, still encoded; undefined for a path that is another. */
  read(path: string): Parameters | undefined {
    const read = path.startsWith(this.beginning) && this.first.read(path);
    return read ? read.params : undefined;
  }

  /** Throws an Error where another one takes the method already. */
  add(route: DeclaredRoute): void {
    const { method, handler, template } = route.operation;
    const known = this.of(method);
    if (known.some(({ isOfHosts }) => !isOfHosts && !route.isOfHosts)) {
      throw new Error(
        `${handler} takes ${method} ${template}, which is taken by ${known[0]!.operation.handler}: ` +
          'change the path of one',
      );
    }
    this.routes.set(method, [...known, route]);
    this.allow = allowOf(this.methods);
  }

  /** The routes that declare a method. */
  of(method: string): readonly DeclaredRoute[] {
    return this.routes.get(method) ?? NONE;
  }

  private get withHead(): readonly DeclaredRoute[] {
    return this.of('GET').filter(({ answersHead }) => answersHead);
  }

  get methods(): string[] {
    return [...this.routes.keys()].flatMap((method) =>
      method === 'GET' && this.withHead.length > 0 ? ['GET', 'HEAD'] : [method],
    );
  }

  /** The routes that answer a method, in the order in which they are asked; HEAD is answered where GET is. */
  taking(method: string): readonly DeclaredRoute[] {
    const own = this.of(method);
    const all = this.of('ALL');
    const get = method === 'HEAD' ? this.withHead : NONE;
    return all.length + get.length === 0 ? own : [...own, ...get, ...all];
  }
}

export interface Credentials {
  username: string;
  password: string;
}

/** What a suite does with a running service. */
export interface Actions {
  /** `fetch` at the service; an object as `json` is sent as a JSON body. */
  request: (path: string, init?: RequestInit & { json?: unknown }) => Promise<Response>;
  /** Creates a pet of v1, or of v2 where it has members that only v2 knows, and answers it as the service does. */
  aPet: (members?: Record<string, unknown>) => Promise<{ id: number; name: string } & Record<string, unknown>>;
  /** Creates a user who can log in. */
  aUser: (members?: Record<string, unknown>) => Promise<Credentials>;
  /** Logs in, as a new user if none is given, and answers the bearer token. */
  logIn: (user?: Credentials) => Promise<string>;
}

const OF_V2 = ['id', 'photoUrls', 'category', 'tags', 'status'];

let users = 0;

export function actions(url: string): Actions {
  const request: Actions['request'] = (path, { json, ...init } = {}) =>
    json === undefined
      ? fetch(url + path, init)
      : fetch(url + path, {
          method: 'POST',
          ...init,
          headers: { 'Content-Type': 'application/json', ...(init.headers as Record<string, string>) },
          body: JSON.stringify(json),
        });
  const succeed = async (answer: Response) => {
    if (!answer.ok) {
      throw new Error(`${answer.status} ${await answer.text()}`);
    }
    return await answer.json();
  };
  /** Throws an Error for members that the operation does not know, and so would drop. */
  const create = async (path: string, { password, ...members }: Record<string, unknown>) => {
    const made = (await succeed(await request(path, { json: { ...members, password } }))) as Record<string, unknown>;
    const dropped = Object.keys(members).filter((name) => members[name] != null && !(name in made));
    if (dropped.length > 0) {
      throw new Error(`POST ${path} takes no ${dropped.join(', ')}.`);
    }
    return made;
  };
  const aUser: Actions['aUser'] = async (members = {}) => {
    users += 1;
    const user = { username: `user-${users}`, password: 'correct horse', ...members };
    await create('/v2/user', user);
    return user;
  };
  return {
    request,
    aUser,
    aPet: (members = {}) =>
      (OF_V2.some((name) => name in members)
        ? create('/v2/pet', { name: 'Rex', photoUrls: [], ...members })
        : create('/v1/pet', { name: 'Rex', ...members })) as ReturnType<Actions['aPet']>,
    logIn: async (user) => {
      const { username, password } = user ?? (await aUser());
      const query = new URLSearchParams({ username, password }).toString();
      return (await succeed(await request(`/v2/user/login?${query}`))) as string;
    },
  };
}

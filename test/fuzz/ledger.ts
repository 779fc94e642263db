import { DataSource, type DataSourceOptions } from 'typeorm';
import { Sqlite } from '../../src/database';

interface Row {
  id: number | string;
  name: string;
}

/** What the service has acknowledged, to be compared with what is stored. */
export class Ledger {
  pets = 0;
  users = 0;
  /** For each pet the names that it was acknowledged to have had. */
  private readonly names = new Map<number, Set<string>>();

  /** `url` as in DATABASE_URL. */
  constructor(private readonly url: string) {}

  petCreated(id: number, name: string): void {
    this.pets += 1;
    this.names.set(id, new Set([name]));
  }

  petUpdated(id: number, name: string): void {
    this.names.get(id)?.add(name);
  }

  usersCreated(count: number): void {
    this.users += count;
  }

  /** What is stored and was not acknowledged, or the other way round; to be asked while no request is under way. */
  async differences(): Promise<string[]> {
    const source = await new DataSource(this.options()).initialize();
    try {
      const pets = (await source.query<Row[]>('SELECT id, name FROM pet')).map(({ id, name }) => ({
        id: Number(id),
        name,
      }));
      const [{ n }] = await source.query<[{ n: number | string }]>('SELECT count(*) AS n FROM "user"');
      return [
        ...(pets.length === this.pets ? [] : [`${pets.length} pets are stored, ${this.pets} were acknowledged`]),
        ...(Number(n) === this.users ? [] : [`${n} users are stored, ${this.users} were acknowledged`]),
        ...pets
          .filter(({ id, name }) => !this.names.get(id)?.has(name))
          .map(({ id, name }) => `pet ${id} is stored as ${JSON.stringify(name)}, which was never acknowledged`),
      ];
    } finally {
      await source.destroy();
    }
  }

  private options(): DataSourceOptions {
    const file = /^sqlite:(.*)$/.exec(this.url)?.[1];
    return file === undefined
      ? { type: 'postgres', url: this.url }
      : ({ type: 'better-sqlite3', driver: Sqlite, database: file, readonly: true } as const);
  }
}

import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Int64 } from '../../src/platform/common/json';
import { Sqlite } from '../../src/platform/database';

interface Row {
  id: string;
  name: string;
}

/** What the service has acknowledged, to be compared with what is stored. */
export class Ledger {
  pets = 0;
  users = 0;
  /** For each pet the names that it was acknowledged to have had. */
  private readonly names = new Map<string, Set<string>>();

  /** `url` as in DATABASE_URL. */
  constructor(private readonly url: string) {}

  petCreated(id: Int64, name: string): void {
    this.pets += 1;
    this.namesOf(id).add(name);
  }

  /** Without a name it keeps the one it has. */
  petUpdated(id: Int64, name: string | undefined): void {
    if (name !== undefined) {
      this.namesOf(id).add(name);
    }
  }

  petDeleted(id: Int64): void {
    this.pets -= 1;
    this.names.delete(String(id));
  }

  /** Of requests at the same time, a change may be acknowledged before the creation is. */
  private namesOf(id: Int64): Set<string> {
    const known = this.names.get(String(id)) ?? new Set();
    this.names.set(String(id), known);
    return known;
  }

  usersCreated(count: number): void {
    this.users += count;
  }

  /** What is stored and was not acknowledged, or the other way round; to be asked while no request is under way. */
  async differences(): Promise<string[]> {
    const source = await new DataSource(this.options()).initialize();
    try {
      const pets = await source.query<Row[]>('SELECT CAST(id AS text) AS id, name FROM pet');
      const [{ n }] = await source.query<[{ n: number | string }]>('SELECT count(*) AS n FROM "user"');
      return [
        ...(pets.length === this.pets ? [] : [`${pets.length} pets are stored, ${this.pets} were acknowledged`]),
        ...(Number(n) === this.users ? [] : [`${n} users are stored, ${this.users} were acknowledged`]),
        ...pets
          .filter(({ id, name }) => !this.names.get(id)?.has(name))
          .map(
            ({ id, name }) =>
              `pet ${id} is stored as ${JSON.stringify(name)}, which was never acknowledged, but ${JSON.stringify([...(this.names.get(id) ?? ['no such id'])])}`,
          ),
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

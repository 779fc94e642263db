import type { DataSource, ObjectLiteral, QueryRunner } from 'typeorm';
import type { Priority } from './work';

/** What a statement answers: TypeORM's QueryResult, but that a record is an array of its values. */
export interface StatementResult {
  records: unknown[][];
  affected?: number;
  raw: unknown;
}
/** Carries out a statement that is kept prepared. Throws what TypeORM's runners throw. */
export type CarryOut = (sql: string, parameters: unknown[]) => Promise<StatementResult>;
/** What a unit has of its connection: TypeORM's runners for it are derived from `base`. */
export interface EngineRunner {
  readonly base: QueryRunner;
  query(sql: string, parameters?: unknown[], structured?: boolean): Promise<unknown>;
  carryOut: CarryOut;
}

/**
 * A row of a table whose ids are numbers that it draws, but for its id. `taken`: the table of the ids that are taken.
 */
export interface NumberedRow {
  table: string;
  taken: string;
  columns: string[];
  values: unknown[];
}

/** What is done with a runner that nobody else has meanwhile. */
export type RunnerWork<T> = (runner: EngineRunner) => Promise<T>;

export interface WriteOptions {
  priority?: Priority;
  /** Whether it may be run again after a conflict. What a caller begins and ends is never run again. */
  again?: boolean;
}

/** What UnitOfWork asks of a database. All methods throw as UnitOfWork says. */
export abstract class Engine {
  abstract readonly dataSource: DataSource;
  /** Whether a write has failed for want of disk space; Probe resets it once there is room. */
  lacksRoom = false;
  abstract read<T>(work: RunnerWork<T>, priority?: Exclude<Priority, 'urgent'>): Promise<T>;
  abstract write<T>(work: RunnerWork<T>, options: WriteOptions): Promise<T>;

  /** Carries out a statement that is a unit of its own, as those of `createRunner` are. */
  abstract carryOut(mode: 'master' | 'slave', sql: string, parameters: unknown[]): Promise<StatementResult>;

  /** Stores it under the next number, as a unit of its own, and answers that. Undefined where that number is taken. */
  abstract insertNumbered(row: NumberedRow): Promise<number | undefined>;

  /** A runner of which each statement is a unit of its own: one that reads, or one that shares a COMMIT with others. */
  abstract createRunner(mode: 'master' | 'slave'): QueryRunner;

  /** The rows of a statement that reads, however many there are. */
  abstract stream(sql: string, parameters?: unknown[]): AsyncIterable<ObjectLiteral>;

  abstract get metrics(): { waiting: number; units: number; commits: number };
  abstract close(): Promise<void>;
}

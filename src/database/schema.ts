import { getMetadataArgsStorage } from 'typeorm';
import { Initial1764000000000 } from './migrations/1764000000000-initial';

/**
 * What every DataSource is told of the schema: each imported entity, and all migrations, oldest first.
 * `synchronize` is off for good: the schema comes from migrations.
 */
export const schema = (generatedKey: 'integer' | 'int8') => ({
  entities: entities(generatedKey),
  migrations: [Initial1764000000000],
});

/**
 * A generated key is declared `integer`, the only type whose values SQLite generates.
 * It has 64 bits there, but only 32 in PostgreSQL, whose int8 has 64. ("bigint" is the same, but TypeORM makes it text.)
 */
function entities(generatedKey: string) {
  const { tables, columns, generations } = getMetadataArgsStorage();
  for (const { target, propertyName } of generations) {
    const column = columns.find((known) => known.target === target && known.propertyName === propertyName);
    Object.assign(column!.options, { type: generatedKey });
  }
  return tables.map(({ target }) => target);
}

import type { EntityMetadata } from 'typeorm';

export type Column = EntityMetadata['columns'][number];
export type PlainColumns = ReadonlyMap<string, Column>;

const TYPES = /^(text|varchar|character varying|int[248]?|integer|smallint|bigint|bool(ean)?|real|double precision)$/;
const known = new WeakMap<EntityMetadata, PlainColumns | undefined>();

/** By the names of their properties. Undefined where the entity is more than a table of plain columns. */
export function plainColumns(metadata: EntityMetadata): PlainColumns | undefined {
  if (!known.has(metadata)) {
    const { columns } = metadata;
    const byName = new Map(columns.map((column) => [column.propertyName, column]));
    known.set(metadata, isPlainTable(metadata) && columns.every(isPlain) ? byName : undefined);
  }
  return known.get(metadata);
}

const isPlainTable = (metadata: EntityMetadata) =>
  metadata.tableType === 'regular' &&
  typeof metadata.target === 'function' &&
  !metadata.inheritancePattern &&
  !metadata.treeType &&
  [metadata.relations, metadata.embeddeds, metadata.listeners, metadata.relationIds].every(
    ({ length }) => length === 0,
  );

const isPlain = (column: Column) =>
  (column.type === String || TYPES.test(String(column.type))) &&
  !(column.isArray || column.isVirtual || column.isVirtualProperty || column.asExpression) &&
  !(column.isVersion || column.isCreateDate || column.isUpdateDate || column.isDeleteDate);

export const isAsStored = ({ transformer, type }: Column) => !transformer && !/^bool/.test(String(type));

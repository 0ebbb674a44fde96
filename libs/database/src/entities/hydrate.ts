import type { DataSource, EntityTarget, ObjectLiteral } from 'typeorm';

/** An entity from a row of raw SQL, by the entity's own columns. */
export function hydrate<Entity extends ObjectLiteral>(
  database: DataSource,
  target: EntityTarget<Entity>,
  row: Record<string, unknown>,
): Entity {
  const metadata = database.getMetadata(target);
  const entity = metadata.create() as Entity;
  for (const column of metadata.columns) {
    const value: unknown = row[column.databaseName];
    column.setEntityValue(entity, column.transformer && !Array.isArray(column.transformer) ? column.transformer.from(value) : value);
  }
  return entity;
}

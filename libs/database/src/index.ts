/** PostgreSQL: the data source, the migrations, ids and the columns that entities share. */
export { BigintColumn, CreatedAtColumn, IdColumn, MicroUsdcColumn, MomentColumn, bigintTransformer } from './columns';
export { beginningWith, DatabaseClient } from './client';
export { onStatement } from './observed';
export { createDataSource, dataSourceOptions, type DatabaseOptions } from './data-source';
export { hydrate } from './hydrate';
export { firstIdAt, idBytes, idOf, isId, newId, type IdPrefix, tagIn, taggedId, tagOf } from './id';
export { execute, empty, join, raw, sql, words, type Row, type Sql } from './sql';
export { runPrepared } from './statements';
export { SharedStatements } from './shared-statements';
export { migrate, revertMigrations } from './migrate';
export { storageFault, type StorageFault } from './faults';
export { SessionsError, requireSessions } from './sessions';
export { type PoolUse, poolUse } from './pool';

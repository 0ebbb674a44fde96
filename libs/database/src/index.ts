/** PostgreSQL: the data source, the migrations, ids and the columns that entities share. */
export { BigintColumn, CreatedAtColumn, IdColumn, MicroUsdcColumn, MomentColumn, bigintTransformer } from './entities/columns';
export { beginningWith, DatabaseClient, PreparingClient } from './connection/client';
export { onStatement } from './statements/observed';
export { createDataSource, dataSourceOptions, type DatabaseOptions } from './connection/data-source';
export { hydrate } from './entities/hydrate';
export { firstIdAt, idBytes, idOf, isId, newId, type IdPrefix, tagIn, taggedId, tagOf } from './entities/id';
export { execute, empty, join, raw, sql, words, type Row, type Sql } from './statements/sql';
export { runPrepared } from './statements/statements';
export { StatementGroup } from './statements/statement-group';
export { SharedStatements } from './statements/shared-statements';
export { migrate, revertMigrations } from './migrate';
export { storageFault, type StorageFault } from './faults';
export { SessionsError, requireSessions } from './connection/sessions';
export { type PoolUse, poolUse } from './connection/pool';

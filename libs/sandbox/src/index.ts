/** The embedded PostgreSQL and the embedded chain: for development and demonstration only. */
export { startEmbeddedPostgres } from './postgres/embedded-postgres';

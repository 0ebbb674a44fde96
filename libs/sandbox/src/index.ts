/** The embedded PostgreSQL and the embedded chain: for development and demonstration only. */
export { startEmbeddedChain, type EmbeddedChain } from './chain/embedded-chain';
export { startEmbeddedPostgres } from './postgres/embedded-postgres';

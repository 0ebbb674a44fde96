/** Distinguishes a database that is unavailable, full or out of connections from a statement that is wrong. */

/** `not_executed`: the statement certainly had no effect. `unknown`: the connection was lost, and it may have been committed. */
export type StorageFault = 'not_executed' | 'unknown';

/**
 * SQLSTATEs of a server that did not execute a statement: no connection, no such database, wrong password, no resources (a full
 * disk is 53100, too many connections 53300), starting or stopping, statement time-out, a standby, an error of its storage.
 */
const NOT_EXECUTED = /^(08001|08004|3D000|28000|28P01|53\w{3}|57P03|57P04|57014|25006|58\w{3})$/;
/** SQLSTATEs with which a server ends a connection: at what point of a statement, it does not say. */
const UNKNOWN = /^(08000|08003|08006|57P01|57P02|57P05)$/;
/** A state has five letters and digits, and so has the name of one error of system calls. */
const SQLSTATE = /^(?!EPIPE$)[0-9A-Z]{5}$/;

/** System calls' errors. Those of `connect` come before any statement. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'ENOBUFS',
]);
/** On the way to a Unix socket: no server has made it, or this process may not use it. */
const NO_SOCKET = new Set(['ENOENT', 'EACCES']);
const CUT = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/** pg and pg-pool give these errors no code. */
const NO_CONNECTION = [
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
  'Cannot use a pool after calling end on the pool',
];
const LOST_CONNECTION = [
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Query read timeout',
];
/** TypeORM's error for the next statement of a transaction whose connection was lost. */
const RELEASED_RUNNER = 'QueryRunnerAlreadyReleasedError';

/** The SQLSTATE of an error that the server reported; undefined for any other error. */
export function sqlstateOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && SQLSTATE.test(code) ? code : undefined;
}

/** The fault of the database that an error shows; undefined if the database is well and the error is another. */
export function storageFault(error: unknown): StorageFault | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('driverError' in error && error.driverError instanceof Error) return storageFault(error.driverError);
  const state = sqlstateOf(error);
  if (state !== undefined) return NOT_EXECUTED.test(state) ? 'not_executed' : UNKNOWN.test(state) ? 'unknown' : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return byMessage(error);
  const isConnecting = 'syscall' in error && error.syscall === 'connect';
  if (UNREACHABLE.has(code) || (isConnecting && (CUT.has(code) || NO_SOCKET.has(code)))) return 'not_executed';
  return CUT.has(code) ? 'unknown' : undefined;
}

function byMessage({ name, message }: Error): StorageFault | undefined {
  if (NO_CONNECTION.includes(message)) return 'not_executed';
  return LOST_CONNECTION.includes(message) || name === RELEASED_RUNNER ? 'unknown' : undefined;
}

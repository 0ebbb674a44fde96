import { AsyncLocalStorage } from 'node:async_hooks';

/** The ids that each log line of a piece of work carries. */
export interface LogIds {
  request_id?: string | undefined;
  operator_id?: string | undefined;
  /** The API key of the request. */
  key_id?: string | undefined;
  account_id?: string | undefined;
  order_id?: string | undefined;
  payment_id?: string | undefined;
  delivery_id?: string | undefined;
  webhook_id?: string | undefined;
  event_id?: string | undefined;
  /** The recurring job that does it. */
  job?: string | undefined;
}

const storage = new AsyncLocalStorage<LogIds>();

/** Runs work whose log lines carry these ids, beside those of the work that it is part of. */
export function withLogIds<T>(ids: LogIds, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...ids }, work);
}

/** Adds ids to the log lines of the work that runs now, from now on. */
export function addLogIds(ids: LogIds): void {
  const current = storage.getStore();
  if (current) Object.assign(current, ids);
}

/** The ids of the work that runs now. */
export function logIds(): LogIds {
  return storage.getStore() ?? {};
}

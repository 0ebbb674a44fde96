/** Hooks that load data of the service: when the component is shown, and again after every change. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Problem, everyRow, get, withQuery } from './api';
import { onChange } from './live';
import type { ListedAccount, ListedAccounts, Page } from './types';

export interface Data<T> {
  /** The last response, also while a newer one is being loaded or failed to load. */
  data: T | undefined;
  problem: Problem | undefined;
  reload: () => Promise<void>;
}

/** When data is loaded again: at an interval, and if `account` is given only after changes of that account. */
interface Reloading {
  everyMs?: number;
  account?: string;
}

/** The result of `load`. Under another `key` it is other data, and the old data is not shown. */
export function useData<T>(key: string, load: () => Promise<T>, { everyMs, account }: Reloading = {}): Data<T> {
  const [state, setState] = useState<{ key: string; data?: T; problem?: Problem }>({ key });
  const latest = useRef({ load, count: 0 });
  latest.current.load = load;
  const reload = useCallback(async () => {
    const count = ++latest.current.count;
    // The response to an outdated request is not shown.
    const show = (next: (old: { key: string; data?: T }) => { key: string; data?: T; problem?: Problem }): void => {
      if (count === latest.current.count) setState((old) => next(old.key === key ? old : { key }));
    };
    try {
      const data = await latest.current.load();
      show(() => ({ key, data }));
    } catch (problem) {
      show((old) => ({ ...old, key, problem: problem instanceof Problem ? problem : new Problem(String(problem), 0, 'page') }));
    }
  }, [key]);
  useEffect(() => {
    void reload();
    const stop = onChange((touched) => {
      if (account === undefined || touched === 'everything' || touched.has(account)) void reload();
    });
    const timer = everyMs === undefined ? undefined : window.setInterval(() => !document.hidden && void reload(), everyMs);
    return () => {
      stop();
      clearInterval(timer);
      latest.current.count++;
    };
  }, [reload, everyMs, account]);
  return state.key === key ? { data: state.data, problem: state.problem, reload } : { data: undefined, problem: undefined, reload };
}

/** The response to a GET. */
export function useGet<T>(path: string, options: Reloading = {}): Data<T> {
  return useData(path, () => get<T>(path), options);
}

const ROWS = 25;

/** A list that grows page by page. */
export function useRows<T>(
  path: string,
  values: Record<string, string | undefined> = {},
  options: Reloading = {},
): Data<Page<T>> & { more: () => void } {
  const key = `${path} ${JSON.stringify(values)}`;
  const [wanted, setWanted] = useState({ key, rows: ROWS });
  const rows = wanted.key === key ? wanted.rows : ROWS;
  const data = useData(key, () => everyRow<T>(path, values, rows), options);
  const { reload } = data;
  useEffect(() => {
    if (rows > ROWS) void reload();
  }, [rows, reload]);
  return { ...data, more: () => setWanted({ key, rows: rows + ROWS }) };
}

/** Above this, all accounts are read again instead of those that changed. */
const MAX_READ_ALONE = 5;
/** Deposits cause no events. */
const ACCOUNTS_EVERY_MS = 10_000;
/** The service has read the balance after an event at the latest so long after it. */
const BALANCES_AFTER_MS = 3_000;

/** The accounts of the operator with their figures. After an event of an account, that account alone is read again. */
export function useListedAccounts(): Data<ListedAccounts> {
  const [state, setState] = useState<{ data?: ListedAccounts; problem?: Problem }>({});
  const reload = useCallback(async () => {
    try {
      setState({ data: await everyAccount() });
    } catch (problem) {
      if (problem instanceof Problem) setState((old) => ({ ...old, problem }));
    }
  }, []);
  const reloadOne = useCallback(async (id: string) => {
    const { data: found } = await get<ListedAccounts>(`/dashboard/data/accounts/${id}`);
    setState(({ data, ...old }) => (data ? { ...old, data: { ...data, data: withAccounts(data.data, found) } } : old));
  }, []);
  useEffect(() => {
    let again: number | undefined;
    void reload();
    const stop = onChange((touched) => {
      const read = (): void => {
        if (touched === 'everything' || touched.size > MAX_READ_ALONE) void reload();
        // Data that failed to load is loaded with the next change, or at the next interval.
        else for (const id of touched) reloadOne(id).catch(() => undefined);
      };
      read();
      again = window.setTimeout(read, BALANCES_AFTER_MS);
    });
    const timer = window.setInterval(() => !document.hidden && void reload(), ACCOUNTS_EVERY_MS);
    return () => {
      stop();
      clearTimeout(again);
      clearInterval(timer);
    };
  }, [reload, reloadOne]);
  return { data: state.data, problem: state.problem, reload };
}

/** Pages of accounts that are read at most. The search finds the others. */
const MAX_PAGES = 8;

async function everyAccount(): Promise<ListedAccounts> {
  const accounts: ListedAccount[] = [];
  let hasMore = true;
  for (let pages = 0; hasMore && pages < MAX_PAGES; pages++) {
    const page = await get<ListedAccounts>(withQuery('/dashboard/data/accounts', { before: accounts.at(-1)?.account_id }));
    accounts.push(...page.data);
    hasMore = page.has_more;
  }
  return { data: accounts, has_more: hasMore };
}

/** A list in which some accounts are replaced. New ones come first. */
function withAccounts(accounts: ListedAccount[], found: ListedAccount[]): ListedAccount[] {
  const byId = new Map(found.map((account) => [account.account_id, account]));
  const known = new Set(accounts.map(({ account_id }) => account_id));
  return [
    ...found.filter(({ account_id }) => !known.has(account_id)),
    ...accounts.map((account) => byId.get(account.account_id) ?? account),
  ];
}

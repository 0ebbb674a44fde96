/** Hooks that load data of the service: when the component is shown, and again after every change. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Problem, everyRow, get } from './api';
import { onChange } from './live';
import type { Page } from './types';

export interface Data<T> {
  /** The last response, also while a newer one is being loaded or failed to load. */
  data: T | undefined;
  problem: Problem | undefined;
  reload: () => Promise<void>;
}

/** The result of `load`. Under another `key` it is other data, and the old data is not shown. */
export function useData<T>(key: string, load: () => Promise<T>, { everyMs }: { everyMs?: number } = {}): Data<T> {
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
    const stop = onChange(() => void reload());
    const timer = everyMs === undefined ? undefined : window.setInterval(() => !document.hidden && void reload(), everyMs);
    return () => {
      stop();
      clearInterval(timer);
      latest.current.count++;
    };
  }, [reload, everyMs]);
  return state.key === key ? { data: state.data, problem: state.problem, reload } : { data: undefined, problem: undefined, reload };
}

/** The response to a GET. */
export function useGet<T>(path: string, options: { everyMs?: number } = {}): Data<T> {
  return useData(path, () => get<T>(path), options);
}

const ROWS = 25;

/** A list that grows page by page. */
export function useRows<T>(
  path: string,
  values: Record<string, string | undefined> = {},
  options: { everyMs?: number } = {},
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

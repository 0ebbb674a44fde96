/** The names of API keys, which are shown instead of their ids. */
import { useGet } from './data';
import type { KeyName } from './types';

/** The name of a key by its id. Where it has none, what the page knows of it. */
export function useKeyNames(): (keyId: string | null) => string {
  const { data } = useGet<{ data: KeyName[] }>('/dashboard/data/key_names');
  const known = new Map(data?.data.map((key) => [key.key_id, key]));
  return (keyId) => {
    if (keyId === null) return 'the service';
    const key = known.get(keyId);
    if (!key) return `…${keyId.slice(-6)}`;
    const name = key.name ?? `${key.type} key …${keyId.slice(-6)}`;
    return key.is_revoked ? `${name} (revoked)` : name;
  };
}

/** The names of API keys, which are shown instead of their ids. */
import type { KeyName } from '../data/types';

/** The name of a key by its id. If it has none, its kind and the end of its id. */
export function keyNames(keys: KeyName[]): (keyId: string | null) => string {
  const known = new Map(keys.map((key) => [key.key_id, key]));
  return (keyId) => {
    if (keyId === null) return 'the service';
    const key = known.get(keyId);
    if (!key) return `…${keyId.slice(-6)}`;
    const name = key.name ?? `${key.type} key …${keyId.slice(-6)}`;
    return key.is_revoked ? `${name} (revoked)` : name;
  };
}

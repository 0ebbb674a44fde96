import type { JSX } from 'preact';
import type { ApiKey } from '../../data/types';

/** The address that a key was last noted to be used from, at most once an hour. The title says when. */
export function LastAddress({ of: { last_used_ip: address, last_used_ip_at: at } }: { of: ApiKey }): JSX.Element | null {
  if (!address) return null;
  return <span title={`noted ${at ? new Date(at).toLocaleString() : ''}, at most once an hour`}>{address}</span>;
}

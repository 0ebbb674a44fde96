import type { Client } from 'undici';

/** A connection is used no longer than this, so that names are resolved again. */
const MAX_AGE_MS = 60_000;
const MAX_IDLE = 256;

/** Idle connections that are used again for the next request to the same origin, the newest first. */
export class ConnectionPool {
  private readonly idle = new Map<string, Client[]>();
  private readonly bornAt = new WeakMap<Client, number>();
  private count = 0;

  /** Takes an idle connection to an origin out of the pool; undefined if there is none. */
  take(origin: string): Client | undefined {
    const client = this.idle.get(origin)?.at(-1);
    if (client) this.remove(origin, client);
    return client;
  }

  /** Puts a connection into the pool. Closes it if it is broken or too old, or the pool is full. */
  put(origin: string, client: Client): void {
    const now = performance.now();
    const bornAt = this.bornAt.get(client);
    // A connection that breaks or is closed while it is idle leaves the pool. During a request undici reports it.
    if (bornAt === undefined) client.on('disconnect', () => this.idle.get(origin)?.includes(client) && this.close(origin, client));
    this.bornAt.set(client, bornAt ?? now);
    if (client.destroyed || this.count >= MAX_IDLE || now - (bornAt ?? now) > MAX_AGE_MS) return this.close(origin, client);
    this.count++;
    const others = this.idle.get(origin);
    if (others) others.push(client);
    else this.idle.set(origin, [client]);
  }

  closeAll(): void {
    for (const [origin, clients] of this.idle) for (const client of [...clients]) this.close(origin, client);
  }

  private close(origin: string, client: Client): void {
    this.remove(origin, client);
    client.destroy().catch(() => undefined);
  }

  private remove(origin: string, client: Client): void {
    const clients = this.idle.get(origin) ?? [];
    const at = clients.indexOf(client);
    if (at < 0) return;
    this.count--;
    clients.splice(at, 1);
    if (clients.length === 0) this.idle.delete(origin);
  }
}

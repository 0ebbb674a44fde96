import type { DataSource } from 'typeorm';

/** The connections of this process to the database. */
export interface PoolUse {
  busy: number;
  idle: number;
  /** Statements that wait for a connection. */
  waiting: number;
}

/** The use of a connection pool now. @throws Error for a data source that is not connected. */
export function poolUse({ driver }: DataSource): PoolUse {
  const pool: unknown = Reflect.get(driver, 'master');
  const count = (name: string): number => {
    const value: unknown = pool instanceof Object ? Reflect.get(pool, name) : undefined;
    if (typeof value !== 'number') throw new Error('the database is not connected');
    return value;
  };
  const idle = count('idleCount');
  return { busy: count('totalCount') - idle, idle, waiting: count('waitingCount') };
}

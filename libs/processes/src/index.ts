/** Other processes of this machine: whether they run, and a free loopback port for a new one. */
export * from './free-port';
export * from './process-table';

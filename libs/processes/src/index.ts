/** Other processes of this machine: whether they run, a lock file between them, a free port for a new one. No dependencies. */
export * from './file-lock';
export * from './free-port';
export * from './process-table';

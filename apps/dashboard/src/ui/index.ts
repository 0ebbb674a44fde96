/** The components that views are made of. */
export * from './dialogs';
export * from './filtered-list';
export * from './filters';
export * from './forms';
export * from './notices';
export * from './page';
export * from './tables';
export * from './values';

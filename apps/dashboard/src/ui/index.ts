/** The components that views are made of. */
export * from './brief';
export * from './dialogs';
export * from './filtered-list';
export * from './filter-bar';
export * from './forms';
export * from './icons';
export * from './notices';
export * from './page';
export * from './sparkline';
export * from './tables';
export * from './time-line';
export * from './times';
export * from './values';

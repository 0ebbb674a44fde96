/** The components that views are made of. */
export * from './brief';
export * from './dialogs';
export * from './lists/filtered-list';
export * from './lists/filter-bar';
export * from './forms';
export * from './icons';
export * from './notices';
export * from './page';
export * from './lists/sparkline';
export * from './lists/tables';
export * from './time-line';
export * from './times';
export * from './values';

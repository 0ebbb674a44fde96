/** Suggestions for mistyped words. */
export { nearest } from './nearest';

/** Many items share one step: a statement, a call, a flush. */
export { Batcher, type BatcherOptions, type Outcomes } from './batcher';

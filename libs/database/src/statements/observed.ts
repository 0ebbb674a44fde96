/** Runs a statement with this text, and returns its outcome. */
export type StatementObserver = <T>(text: string, run: () => Promise<T>) => Promise<T>;

let observer: StatementObserver = (_text, run) => run();

/** Has each statement of this process run by `observe`, for traces. */
export function onStatement(observe: StatementObserver): void {
  observer = observe;
}

/** Runs a statement as `onStatement` says. */
export function observed<T>(text: string, run: () => Promise<T>): Promise<T> {
  return observer(text, run);
}

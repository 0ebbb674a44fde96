/** Asks one of several, and the others if it fails or is slow. */

/**
 * Asks the first, and the next one each time that one fails or has not answered within its `hedgeMs`. Returns the first answer.
 * @throws AggregateError with the error of each, if none answers
 */
export function hedged<One extends { hedgeMs: number }, Answer>(ones: readonly One[], ask: (one: One) => Promise<Answer>): Promise<Answer> {
  const waiting = [...ones];
  const errors: unknown[] = [];
  return new Promise((resolve, reject) => {
    const askNext = (): void => {
      const one = waiting.shift();
      if (!one) return;
      const timer = waiting.length > 0 ? setTimeout(askNext, one.hedgeMs) : undefined;
      ask(one).then(
        (answer) => {
          clearTimeout(timer);
          waiting.length = 0;
          resolve(answer);
        },
        (error: unknown) => {
          clearTimeout(timer);
          errors.push(error);
          if (errors.length === ones.length) reject(new AggregateError(errors));
          else askNext();
        },
      );
    };
    askNext();
  });
}

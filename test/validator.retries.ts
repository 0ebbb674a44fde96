/** A validator tells of a landing a moment before it shows what has changed, and shares this machine's cores: a test may try again. */
jest.retryTimes(2, { logErrorsBeforeRetry: true });

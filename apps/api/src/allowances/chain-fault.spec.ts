import { ChainOutcomeUnknownError, ChainRefusedError, ChainUnavailableError } from '#chain';
import { chainFault } from './chain-fault';

test.each([
  ['at once if the chain is unavailable', new ChainUnavailableError('no node answers'), 0],
  ['at once if an outcome is unknown', new ChainOutcomeUnknownError('not seen to land'), 0],
  ['after a minute if the chain refused', new ChainRefusedError('wrong_payee', 'refused'), 60_000],
])('a job tries again %s', (_when, error, pauseMs) => {
  expect(chainFault(error)).toEqual({ message: error.message, pauseMs });
});

test('an error of anything but the chain is thrown', () => {
  const error = new TypeError('not of the chain');
  expect(() => chainFault(error)).toThrow(error);
});

import { storeFailure } from './order-failures';

test.each([
  ['policy_reverted', 'transfer', 'chain_unavailable', 'set the policy again'],
  ['no_account', 'transfer', 'chain_unavailable', ''],
  ['no_account', 'top_up', 'conflict', 'it failed'],
  ['seq_too_old', 'transfer', 'chain_unavailable', 'Too many transfers'],
  ['destination_is_source', 'transfer', 'invalid_recipient', 'it failed'],
  ['something_else', 'transfer', 'conflict', 'The chain refused this: it failed. No money moved.'],
] as const)('a failure by %s of a %s is stored as %s', (reason, kind, code, message) => {
  expect(storeFailure({ reason, detail: 'It failed' }, { kind })).toMatchObject({ code, message: expect.stringContaining(message) });
});

import { assertArguments } from './arguments';
import { ArgumentError } from '../results/results';

const SCHEMA = {
  type: 'object' as const,
  properties: { to: { type: 'string' }, amount: {}, memo: {}, account_id: {} },
  required: ['to', 'amount'],
};

function problemOf(args: Record<string, unknown>): ArgumentError | undefined {
  try {
    assertArguments(SCHEMA, args);
    return undefined;
  } catch (error) {
    return error as ArgumentError;
  }
}

test('known and complete arguments are taken, whatever their values', () => {
  expect(problemOf({ to: 'a', amount: true })).toBeUndefined();
});

test('an unknown argument names the one that was meant, and a missing one is required', () => {
  const problem = problemOf({ to: 'a', amout: '1' });
  expect(problem?.message).toBe('amout is not a known field (did you mean amount?), and 1 more.');
  expect(problem?.details).toEqual([
    { field: 'amout', message: 'is not a known field (did you mean amount?)' },
    { field: 'amount', message: 'is required' },
  ]);
});

test.each([
  ['destination', 'destination is not a known field.'],
  ['from', 'from is not a known field.'],
  ['account', 'account is not a known field (did you mean account_id?).'],
  ['amount_usdc', 'amount_usdc is not a known field (did you mean amount?).'],
])('of the unknown argument %s the message is: %s', (field, message) => {
  expect(problemOf({ to: 'a', amount: '1', [field]: 'b' })?.message).toBe(message);
});

test('a value that is no text where a text belongs is named, and null is an absent value', () => {
  expect(problemOf({ to: 5, amount: '1' })).toMatchObject({
    message: 'to must be a string.',
    details: [{ field: 'to', message: 'must be a string' }],
  });
  expect(problemOf({ to: null, amount: '1' })?.message).toBe('to is required.');
});

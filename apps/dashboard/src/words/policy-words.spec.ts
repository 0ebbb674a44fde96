import { changeInWords, changedFields } from './policy-words';
import type { PolicyFields } from '../data/types';

const OPEN: PolicyFields = {
  max_single_transfer: null,
  max_daily_spend: null,
  allowed_counterparties: null,
  categories: null,
  require_memo: false,
  escalation_threshold: null,
  paused: false,
};
const nameOf = (id: string): string => ({ acct_bob: 'Bob', acct_eve: 'Eve' })[id] ?? id;
const words = (old: Partial<PolicyFields>, next: Partial<PolicyFields>, used?: string | null): string[] =>
  changeInWords({ ...OPEN, ...old }, { ...OPEN, ...old, ...next }, { nameOf, used });

describe('changeInWords describes', () => {
  test.each<[string, Partial<PolicyFields>, Partial<PolicyFields>, string[]]>([
    ['nothing', {}, {}, []],
    ['a first limit', {}, { max_single_transfer: 5 }, ['Transfers above 5 USDC will be declined.']],
    [
      'a lower limit',
      { max_single_transfer: 10 },
      { max_single_transfer: 5.5 },
      ['Transfers above 5.50 USDC will be declined; until now above 10 USDC.'],
    ],
    [
      'a higher limit',
      { max_single_transfer: 10 },
      { max_single_transfer: 1500 },
      ['Transfers up to 1,500 USDC will be allowed; until now up to 10 USDC.'],
    ],
    ['a limit of 0', {}, { max_single_transfer: 0 }, ['Every transfer will be declined: the most that one may be is 0.']],
    ['the smallest limit', {}, { max_single_transfer: 0.000001 }, ['Transfers above 0.000001 USDC will be declined.']],
    [
      'no limit',
      { max_single_transfer: 10 },
      { max_single_transfer: null },
      ['A single transfer may be of any size; until now at most 10 USDC.'],
    ],
    [
      'a first daily limit',
      {},
      { max_daily_spend: 20 },
      ['At most 20 USDC will leave in any 24 hours; until now there was no limit.', 'What was spent in the last 24 hours counts already.'],
    ],
    ['a daily limit of 0', { max_daily_spend: 3 }, { max_daily_spend: 0 }, ['Nothing more may leave: the limit for any 24 hours is 0.']],
    [
      'no daily limit',
      { max_daily_spend: 3 },
      { max_daily_spend: null },
      ['There will be no limit on what leaves within 24 hours; until now 3 USDC.'],
    ],
    [
      'a first limit of a session’s cap',
      {},
      { max_session_cap: 2 },
      ['Sessions with a cap above 2 USDC will be declined; until now their cap had no limit of its own.'],
    ],
    [
      'a limit of 0 for a session’s cap',
      { max_session_cap: 2 },
      { max_session_cap: 0 },
      ['No session can be opened: the most that a session’s cap may be is 0.'],
    ],
    [
      'no limit of a session’s cap',
      { max_session_cap: 2 },
      { max_session_cap: null },
      ['A session may hold as much as the 24-hour limit allows; until now at most 2 USDC.'],
    ],
    [
      'a monthly limit',
      {},
      { max_monthly_spend: 2 },
      ['At most 2 USDC of what leaves within 30 days will be allowed; what has left already counts.'],
    ],
    ['a lifetime limit of 0', {}, { max_lifetime_spend: 0 }, ['Nothing more may leave: the limit on what ever leaves the account is 0.']],
    [
      'an approval above a sum',
      {},
      { approval_above_daily_sum: 5 },
      ['What would raise the sum of 24 hours above 5 USDC will wait for your approval.'],
    ],
    [
      'an end',
      {},
      { valid_until: '2030-01-31T12:00:00.000Z' },
      ['Nothing new will be spent from 2030-01-31T12:00:00.000Z on: open sessions and purses pay nothing more. What was paid is settled.'],
    ],
    ['no end', { valid_until: '2030-01-31T12:00:00.000Z' }, { valid_until: null }, ['The policy will have no end.']],
    [
      'a threshold',
      {},
      { escalation_threshold: 50 },
      ['Transfers and sessions of 50 USDC and more will wait for your approval; until now none did.'],
    ],
    ['a threshold of 0', {}, { escalation_threshold: 0 }, ['Every transfer and session will wait for your approval.']],
    [
      'no threshold',
      { escalation_threshold: 5 },
      { escalation_threshold: null },
      ['Nothing will wait for approval; until now those of 5 USDC and more.'],
    ],
    [
      'a threshold that nothing reaches',
      { max_single_transfer: 10 },
      { escalation_threshold: 50 },
      [
        'Transfers and sessions of 50 USDC and more will wait for your approval; until now none did.',
        'No transfer will ever wait for approval, only sessions: 50 USDC and more is above what one transfer may be.',
      ],
    ],
    ['a pause', {}, { paused: true }, ['All outgoing transfers will be blocked at once, and open sessions pay nothing more.']],
    ['a memo', {}, { require_memo: true }, ['Transfers without a memo will be declined.']],
    [
      'first recipients',
      {},
      { allowed_counterparties: ['acct_bob'] },
      [
        'Only one recipient may be paid: Bob. Transfers to any other recipient will be declined.',
        'Single payments to providers (charges) will be declined while recipients are listed; sessions go on.',
      ],
    ],
    [
      'other recipients',
      { allowed_counterparties: ['acct_bob'] },
      { allowed_counterparties: ['acct_eve'] },
      ['May be paid from now on: Eve.', 'May be paid no longer: Bob.'],
    ],
    ['no recipients', {}, { allowed_counterparties: [] }, ['No recipient at all may be paid.']],
    ['any recipient', { allowed_counterparties: ['acct_bob'] }, { allowed_counterparties: null }, ['Any recipient may be paid.']],
    [
      'first categories',
      {},
      { categories: ['data', 'search'] },
      ['Only spending of 2 categories will be allowed: data, search. Transfers of another, or of none, will be declined.'],
    ],
    ['fewer categories', { categories: ['data', 'search'] }, { categories: ['data'] }, ['Declined from now on: search.']],
  ])('%s', (_what, old, next, sentences) => expect(words(old, next)).toEqual(sentences));

  test('how much of a new daily limit is used already', () => {
    expect(words({}, { max_daily_spend: 20 }, '12.500000')[1]).toBe('12.50 USDC of it are used already.');
    expect(words({}, { max_daily_spend: 12.5 }, '12.500000')[1]).toBe(
      '12.50 USDC of it are used already: nothing more can be spent until some of that is 24 hours old.',
    );
  });
});

test('changedFields has only the fields that differ, whatever the order of lists', () => {
  expect(changedFields({ ...OPEN, categories: ['a', 'b'] }, { ...OPEN, categories: ['b', 'a'], max_daily_spend: 1 })).toEqual({
    max_daily_spend: 1,
  });
});

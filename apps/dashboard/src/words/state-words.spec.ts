import { stateInWords } from './state-words';

test.each([
  ['settled', undefined, 'Settled'],
  ['pending_approval', undefined, 'Pending approval'],
  ['paid_unreceipted', undefined, 'Paid unreceipted'],
  ['rejected', undefined, 'Declined'],
  ['rejected', 'max_single_transfer', 'Declined'],
  ['rejected', 'denied', 'Denied'],
  ['rejected', 'approval_expired', 'Expired'],
])('the state %s with the reason %p is called %s', (state, reason, word) => expect(stateInWords(state, reason)).toBe(word));

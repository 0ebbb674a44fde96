import { stateInWords } from './state-words';

test.each([
  ['settled', undefined, 'settled'],
  ['pending_approval', undefined, 'pending approval'],
  ['rejected', undefined, 'declined'],
  ['rejected', 'max_single_transfer', 'declined'],
  ['rejected', 'denied', 'denied'],
  ['rejected', 'approval_expired', 'expired'],
])('the state %s with the reason %p is called %s', (state, reason, word) => expect(stateInWords(state, reason)).toBe(word));

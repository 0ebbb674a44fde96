import type { SimulationOutcome } from '#chain';
import { InvalidRecipient } from '../orders';
import { requirePayee } from './sessions.service';

const failed = (reason: string): SimulationOutcome => ({ kind: 'failed', failure: { reason, detail: 'Detail' } });

test.each([
  ['invalid_destination', 'the payee has no USDC token account'],
  ['destination_frozen', 'the payee’s token account is frozen'],
  ['destination_is_source', 'it is the paying account itself'],
  ['wrong_payee', 'the payee has no USDC token account of its own'],
])('an opening that the program fails by %s has an invalid recipient: %s', (reason, defect) => {
  expect(() => requirePayee(failed(reason))).toThrow(new InvalidRecipient(defect));
});

test.each<[string, SimulationOutcome | undefined]>([
  ['is allowed', { kind: 'allowed' }],
  ['was not simulated', undefined],
  ['breaks a rule', { kind: 'violation', violation: { rule: 'paused' } }],
  ['fails for another reason', failed('seq_too_old')],
])('an opening that %s has no invalid recipient', (_what, outcome) => {
  expect(() => requirePayee(outcome)).not.toThrow();
});

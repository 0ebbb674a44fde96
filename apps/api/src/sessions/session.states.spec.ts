import { SESSION_TRANSITIONS, type SessionState } from './session.states';

const next = (state: SessionState): SessionState[] =>
  Object.values(SESSION_TRANSITIONS)
    .filter(({ from }) => (from as readonly SessionState[]).includes(state))
    .map(({ to }) => to);

test('a session goes from ordered to open or, after a restore, to closing, from open to closing, to settled, and back only where a rollback reversed it', () => {
  expect(next('ordered')).toEqual(['open', 'closing']);
  expect(next('open')).toEqual(['closing', 'ordered', 'settled']);
  expect(next('closing')).toEqual(['ordered', 'settled']);
  expect(next('settled')).toEqual(['closing']);
});

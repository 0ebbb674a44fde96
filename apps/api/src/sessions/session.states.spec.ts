import { SESSION_TRANSITIONS, type SessionState } from './session.states';

const next = (state: SessionState): SessionState[] =>
  Object.values(SESSION_TRANSITIONS)
    .filter(({ from }) => (from as readonly SessionState[]).includes(state))
    .map(({ to }) => to);

test('a session goes from ordered to open, to closing, to settled, and never back', () => {
  expect(next('ordered')).toEqual(['open']);
  expect(next('open')).toEqual(['closing', 'settled']);
  expect(next('closing')).toEqual(['settled']);
  expect(next('settled')).toEqual([]);
});

import { PURSE_TRANSITIONS, type PurseStatus } from './purse.states';

const next = (status: PurseStatus): PurseStatus[] =>
  Object.values(PURSE_TRANSITIONS)
    .filter(({ from }) => (from as readonly PurseStatus[]).includes(status))
    .map(({ to }) => to);

test('a purse goes from ordered to open or, after a restore, to closing, from open to closing, to closed, and back only where a rollback reversed it', () => {
  expect(next('ordered')).toEqual(['open', 'closing']);
  expect(next('open')).toEqual(['closing', 'ordered']);
  expect(next('closing')).toEqual(['ordered', 'closed']);
  expect(next('closed')).toEqual(['closing']);
});

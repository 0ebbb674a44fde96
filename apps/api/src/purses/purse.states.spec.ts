import { PURSE_TRANSITIONS, type PurseStatus } from './purse.states';

const next = (status: PurseStatus): PurseStatus[] =>
  Object.values(PURSE_TRANSITIONS)
    .filter(({ from }) => (from as readonly PurseStatus[]).includes(status))
    .map(({ to }) => to);

test('a purse goes from ordered to open, to closing, to closed, and never back', () => {
  expect(next('ordered')).toEqual(['open']);
  expect(next('open')).toEqual(['closing']);
  expect(next('closing')).toEqual(['closed']);
  expect(next('closed')).toEqual([]);
});

import { questionOf } from './pause-question';

const shown = { ids: { length: 24 }, total: 202 };

test.each([
  ['pause', true, undefined, 'Pause all accounts?'],
  ['pause', true, shown, 'Pause 202 accounts (all, not only the 24 shown)?'],
  ['pause', false, shown, 'Pause 24 accounts (only those shown, not all 202)?'],
  ['resume', true, shown, 'Resume 202 accounts (all, not only the 24 shown)?'],
] as const)('the question to %s (all: %s) names both numbers where a filter is set', (action, isAll, filtered, question) => {
  expect(questionOf(action, isAll, filtered)).toBe(question);
});

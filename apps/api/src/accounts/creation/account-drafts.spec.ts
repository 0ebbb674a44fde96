import { handleOf } from './account-drafts';

const SUFFIX = /-[a-km-np-z2-9]{6}$/;
const slugOf = (name: string): string => handleOf(name).replace(SUFFIX, '');

test.each([
  ['Research agent', 'research-agent'],
  ['  Crème brûlée & co.  ', 'creme-brulee-co'],
  ['ﬁnance №7', 'finance-no7'],
  ['agent_007', 'agent-007'],
  ['---', 'account'],
  ['日本', 'account'],
  ['a'.repeat(40), 'a'.repeat(32)],
  [`${'a'.repeat(31)} bcd`, 'a'.repeat(31)],
])('the handle of the name %j begins with %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test('a handle ends in six random characters without l, o, 0 and 1', () => {
  const suffixes = Array.from({ length: 200 }, () => handleOf('agent').slice(-7));
  expect(suffixes.every((suffix) => SUFFIX.test(suffix))).toBe(true);
  expect(new Set(suffixes).size).toBe(200);
});

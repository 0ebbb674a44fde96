import { draftContentHash } from './policy-data';

test('the address of a draft differs if the same entries are split between the lists differently', () => {
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const split = (count: number) =>
    draftContentHash({ counterparties: [first, second].slice(0, count), categories: [first, second].slice(count) });
  expect(new Set([0, 1, 2].map((count) => split(count).toString('hex'))).size).toBe(3);
});

import { idBytes, idOf, isId, newId, tagIn, tagOf, taggedId } from './id';

test('an id is a prefix and 26 characters without i, l, o and u', () => {
  expect(newId('acct')).toMatch(/^acct_[0-9a-hjkmnp-tv-z]{26}$/);
});

test('ids of one process grow, within a millisecond and when the clock steps back', () => {
  const at = new Date();
  const ids = Array.from({ length: 10_000 }, (_, index) => newId('tr', new Date(at.getTime() - (index % 3))));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});

test('a later id is greater than an earlier one', () => {
  const now = Date.now() + 10_000;
  expect(newId('op', new Date(now)) < newId('op', new Date(now + 1))).toBe(true);
});

test.each([
  '',
  'acct_',
  'tr_01k9x0000000000000000000000',
  'acct_01K9X000000000000000000000',
  `acct_${'0'.repeat(27)}`,
  `acct_${'0'.repeat(25)}\0`,
])('%j is not an account id', (text) => expect(isId('acct', text)).toBe(false));

test('what newId makes is an id', () => {
  expect(isId('acct', newId('acct'))).toBe(true);
});

test('an id and its 16 bytes stand for each other', () => {
  const id = newId('tr');
  expect(idBytes(id)).toHaveLength(16);
  expect(idOf('tr', idBytes(id))).toBe(id);
});

test('ids with a tag sort in the order of their making, differ, and end with the tag of their digest', () => {
  const at = new Date('2026-03-01T00:00:00.000Z');
  const digest = Buffer.alloc(32, 0xab);
  const ids = Array.from({ length: 10_000 }, (_, index) => taggedId('tr', digest, new Date(at.getTime() - (index % 3))));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => isId('tr', id) && tagIn(id) === tagOf(digest) && idOf('tr', idBytes(id)) === id)).toBe(true);
});

test('digests that differ in the first 60 bits have different tags', () => {
  const [digest, other] = [Buffer.alloc(32), Buffer.alloc(32)];
  other[7] = 0x10;
  expect(tagOf(digest)).not.toBe(tagOf(other));
});

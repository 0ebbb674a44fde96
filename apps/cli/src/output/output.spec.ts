import { card, plain, table } from './output';

const COLUMNS = { id: ({ id }: { id: string }) => id, memo: ({ memo }: { memo: string | null; id: string }) => memo };

test('a table has one aligned line a row, and - for an absent value', () => {
  const rows = [
    { id: 'a', memo: 'first' },
    { id: 'bcd', memo: null },
  ];
  expect(table(COLUMNS, rows)).toBe('id   memo\na    first\nbcd  -');
});

test('a time is relative to now, and a status has colours on a terminal alone', () => {
  const columns = { status: ({ status }: { status: string; at: Date }) => status, at: ({ at }: { at: Date; status: string }) => at };
  const rows = [{ status: 'settled', at: new Date() }];
  expect(table(columns, rows, false)).toBe('status   at\nsettled  just now');
  expect(table(columns, rows, true)).toContain('\u001b[32msettled\u001b[39m  just now');
});

test('a text with line breaks, escape sequences or text direction marks stays in its cell', () => {
  expect(table(COLUMNS, [{ id: 'a', memo: 'x\ny\u001b[2J\u202e' }])).toBe('id  memo\na   x y [2J');
  expect(plain('\u009b31m\u0000')).toBe(' 31m ');
});

test('a card has a line for each value that is there', () => {
  expect(card({ id: 'a', none: null, absent: undefined, paused: false })).toBe('id      a\npaused  false');
});

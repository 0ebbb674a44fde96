import { linesOf, momentInUtc, monthAfter, monthOf } from './statement-lines';
import type { HistoryEntry } from '../data/types';

const entry = (direction: 'in' | 'out', amount_usdc: string): HistoryEntry => ({ direction, amount_usdc }) as HistoryEntry;

test('the lines of a statement have the balance after each record, exact to the micro-USDC', () =>
  expect(linesOf([entry('in', '0.100000'), entry('out', '0.299999')], '0.200000').map(({ balance }) => balance)).toEqual([
    '0.300000',
    '0.000001',
  ]));

test('a balance below zero, before a deposit is found, has a sign', () =>
  expect(linesOf([entry('out', '0.000001'), entry('in', '1.000000')], '0.000000')).toMatchObject([
    { balance: '0.000001', sign: '−' },
    { balance: '0.999999', sign: '' },
  ]));

test.each([
  ['2026-11', 1, '2026-12'],
  ['2026-12', 1, '2027-01'],
  ['2026-01', -1, '2025-12'],
  ['2024-03', -1, '2024-02'],
])('the month %s and %i is %s', (month, count, other) => expect(monthAfter(month, count)).toBe(other));

test('a moment is in the month of UTC, and to the second on paper', () => {
  expect(monthOf(new Date('2026-11-30T23:59:59.999Z'))).toBe('2026-11');
  expect(momentInUtc('2026-11-30T23:59:59.999Z')).toBe('2026-11-30 23:59:59');
});

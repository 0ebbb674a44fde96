import { notificationOf } from './notification';

const DATA = {
  transfer_id: 'tr_1',
  account_id: 'acct_1',
  amount_usdc: '12.500000',
  to: 'shop-x1',
  memo: 'Paper',
  threshold_usdc: '10.000000',
  expires_at: '2026-11-23T12:00:00.000Z',
};

test('a notification names the account, the amount, the kind of order, the recipient and the memo', () => {
  expect(notificationOf('evt_1', 'Research', DATA)).toEqual({
    title: '12.500000 USDC of Research waits for your approval',
    body: 'Transfer to shop-x1: Paper',
    expires_at: DATA.expires_at,
    tag: 'evt_1',
    path: '/approvals',
  });
});

test('a notification of a session or a purse says so, and leaves out what it does not have', () => {
  const { transfer_id: _, ...rest } = DATA;
  expect(notificationOf('evt_1', 'A', { ...rest, session_id: 'sess_1', memo: null }).body).toBe('Session to shop-x1');
  expect(notificationOf('evt_1', 'A', { ...rest, purse_id: 'purse_1', to: null, memo: null }).body).toBe('Purse');
});

test('a memo of 140 characters is shown, and a longer one is cut between characters', () => {
  const shown = (memo: string): string => notificationOf('evt_1', 'A', { ...DATA, to: null, memo }).body;
  expect(shown('😀'.repeat(140))).toBe(`Transfer: ${'😀'.repeat(140)}`);
  expect(shown('😀'.repeat(141))).toBe(`Transfer: ${'😀'.repeat(139)}…`);
});

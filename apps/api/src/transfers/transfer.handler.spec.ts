import { createHmac } from 'node:crypto';
import { type Chain, LocalSigner, type TransferOrder } from '#chain';
import { idBytes } from '#database';
import type { AccountsService } from '../accounts';
import { anAccount } from '../accounts/account.builder';
import type { LedgerService } from '../ledger';
import { type Order, OrderHandlers } from '../orders';
import { anOrder } from '../orders/order.builder';
import { asTransfer } from './transfer';
import { settlementEntries, TransferHandler } from './transfer.handler';

const SETTLED_AT = new Date('2026-03-01T00:00:01.000Z');
const transfer = asTransfer(anOrder({ microUsdc: 1_500_000n, memo: 'Lunch', category: 'food', recipient: 'acct_payee', reference: 'r-1' }));
const handlers = new OrderHandlers();
/** Instead of simulating and signing, the chain returns what it was given. */
const chain = { orders: { simulateTransfer: async (...given: unknown[]) => given, signTransfer: async (...given: unknown[]) => given } };
const accounts = { signers: (...given: unknown[]) => given, findMany: async () => [] };
/** The payee's ledger has the transaction `Deposited`. */
const ledger = { changesBy: async (_id: string, [signature]: string[]) => new Map(signature === 'Deposited' ? [[signature, {}]] : []) };
const handler = new TransferHandler(
  chain as unknown as Chain,
  accounts as unknown as AccountsService,
  ledger as unknown as LedgerService,
  handlers,
);
const facts = { transfer_id: transfer.id, account_id: 'acct_payer', amount_usdc: '1.500000', reference: 'r-1' };
const owner = { operatorId: 'op_1', accountId: 'acct_payer' };
const outgoing = {
  accountId: 'acct_payer',
  type: 'transfer',
  direction: 'out',
  microUsdc: 1_500_000n,
  counterparty: 'acct_payee',
  memo: 'Lunch',
  category: 'food',
  orderId: transfer.id,
  transferId: transfer.id,
  reference: 'r-1',
  metadata: {},
  signature: 'Signature',
  settledAt: SETTLED_AT,
};

const settlement = { signature: 'Signature', settledAt: SETTLED_AT };

test('a settled transfer to a stranger is one outgoing ledger entry', () => {
  expect(settlementEntries(transfer, { ...settlement, isWithinOperator: false })).toEqual([outgoing]);
});

test('a settled transfer to an account of the service is an outgoing and an incoming ledger entry of the same amount', () => {
  expect(settlementEntries({ ...transfer, destinationAccountId: 'acct_payee' }, { ...settlement, isWithinOperator: true })).toEqual([
    outgoing,
    { ...outgoing, accountId: 'acct_payee', direction: 'in', counterparty: 'acct_payer' },
  ]);
});

test('the incoming entry of another operator names neither the transfer nor its reference', () => {
  const given = { ...transfer, recipient: 'TokenAccount', destinationAccountId: 'acct_theirs', metadata: { secret: 'plan' } };
  const [out, incoming] = settlementEntries(given, { ...settlement, isWithinOperator: false });
  expect(out).toMatchObject({ transferId: transfer.id, reference: 'r-1', metadata: { secret: 'plan' } });
  expect(incoming).toMatchObject({ accountId: 'acct_theirs', transferId: null, reference: null, metadata: {} });
});

test('a handle is recorded as the id of its account', () => {
  const given = { ...transfer, recipient: 'search-agent-abc234', destinationAccountId: 'acct_payee' };
  expect(settlementEntries(given, { ...settlement, isWithinOperator: true })[0]).toMatchObject({ counterparty: 'acct_payee' });
});

test('transfer.initiated names recipient and transaction and writes no ledger entry', () => {
  expect(handler.initiated(transfer, 'Signature')).toEqual({
    event: { ...owner, type: 'transfer.initiated', data: { ...facts, to: 'acct_payee', tx_signature: 'Signature' } },
  });
});

test('transfer.settled comes with the ledger entries and the slot of the change', async () => {
  expect(await handler.settled(transfer, { signature: 'Signature', slot: 42 }, SETTLED_AT)).toEqual({
    event: {
      ...owner,
      type: 'transfer.settled',
      data: { ...facts, tx_signature: 'Signature', settled_at: '2026-03-01T00:00:01.000Z' },
    },
    entries: [outgoing],
    slot: 42,
  });
});

test('transfer.rejected comes with one rejection in the ledger, without signature and time of settlement', async () => {
  const { signature: _signature, settledAt: _settledAt, ...entry } = outgoing;
  expect(await handler.declined(transfer, 'paused')).toEqual({
    event: { ...owner, type: 'transfer.rejected', data: { ...facts, rejection_reason: 'paused' } },
    entries: [{ ...entry, type: 'rejection', rejectionReason: 'paused' }],
  });
});

test('escalation.required names recipient, memo, threshold and the end of the approval, and writes no ledger entry', () => {
  expect(handler.escalated(transfer, 1_000_000n, SETTLED_AT)).toEqual({
    event: {
      ...owner,
      type: 'escalation.required',
      data: { ...facts, to: 'acct_payee', memo: 'Lunch', threshold_usdc: '1.000000', expires_at: '2026-03-01T00:00:01.000Z' },
    },
  });
});

test('the transfer handler registers itself for orders of the kind transfer', () => {
  handler.onModuleInit();
  expect(handlers.of({ kind: 'transfer' })).toBe(handler);
});

const account = anAccount();
const approver = LocalSigner.generate().signer;
/** The arguments that the program gets of an order. */
const onChain = async (changes: Partial<Order>, by: typeof approver | null = null): Promise<TransferOrder> => {
  const { simulate } = await handler.instruction(anOrder(changes));
  const [given] = (await simulate(account, by, 7n, 42)) as unknown as [TransferOrder];
  return given;
};

test('a transfer is simulated and signed as the same instruction, with its nonce and its signers', async () => {
  const { simulate, sign } = await handler.instruction(transfer);
  const instruction = {
    address: 'ChainAddress',
    tokenAccount: 'TokenAccount',
    destination: 'TokenAccount',
    transferId: idBytes(transfer.id),
    microUsdc: 1_500_000n,
    category: 'food',
    memoHash: null,
    authority: 'AuthorityKey',
    approvedBy: null,
    hasOwnPolicy: true,
  };
  expect(await simulate(account, null, 7n, 42)).toEqual([instruction, 7n, 42]);
  expect(await sign(account, null, 7n)).toEqual([instruction, 7n, [account, null]]);
});

test('an approved transfer names the operator that approved it', async () => {
  expect((await onChain({}, approver)).approvedBy).toBe(approver.address);
});

test('a memo goes on chain as its HMAC-SHA-256 under the salt of the order', async () => {
  const memoSalt = Buffer.alloc(32, 9);
  expect((await onChain({ memo: 'Lunch', memoSalt })).memoHash).toEqual(createHmac('sha256', memoSalt).update('Lunch').digest());
});

test.each<[string, Partial<Order>]>([
  ['without a memo', { memoSalt: Buffer.alloc(32) }],
  ['with an empty memo', { memo: '', memoSalt: Buffer.alloc(32) }],
  ['with a memo of white space', { memo: ' \t', memoSalt: Buffer.alloc(32) }],
  ['with a memo and no salt', { memo: 'Lunch' }],
])('a transfer %s has no hash on chain', async (_what, changes) => {
  expect((await onChain(changes)).memoHash).toBeNull();
});

test('a transfer that is written from the chain leaves the payee its deposit where the ledger has it', async () => {
  const found = { ...transfer, source: 'backfill' as const, destinationAccountId: 'acct_payee', recipient: transfer.destination };
  const { entries } = await handler.settled(found, { signature: 'Deposited', slot: 1 }, SETTLED_AT);
  expect(entries).toMatchObject([{ accountId: 'acct_payer', direction: 'out', signature: 'Deposited' }]);
});

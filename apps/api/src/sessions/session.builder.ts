/** Sessions for specs. Not part of the build. */
import { idOf } from '#database';
import type { Session } from './session.entity';

const CREATED_AT = new Date('2026-03-01T00:00:00.000Z');

/** An open session with a cap of 10 USDC from which nothing was paid, with `changes`. */
export function aSession(changes: Partial<Session> = {}): Session {
  return {
    id: idOf('sess', Buffer.alloc(16, 2)),
    operatorId: 'op_1',
    accountId: 'acct_payer',
    provider: 'https://api.example.com',
    payee: 'Payee',
    category: null,
    reference: null,
    metadata: {},
    graceSeconds: 0,
    expiresInSeconds: 86_400,
    voucherKey: 'VoucherKey',
    voucherKeySealed: 'sealed',
    state: 'open',
    address: 'SessionAddress',
    capMicroUsdc: 10_000_000n,
    signedMicroUsdc: 0n,
    acceptedMicroUsdc: 0n,
    voucherMicroUsdc: 0n,
    voucherSignature: null,
    settledMicroUsdc: 0n,
    returnedMicroUsdc: 0n,
    capWarned: false,
    capReached: false,
    payingPaymentId: null,
    openSignature: 'OpenSignature',
    endSignature: null,
    createdAt: CREATED_AT,
    openedAt: new Date('2026-03-01T00:00:02.000Z'),
    expiresAt: new Date('2026-03-02T00:00:02.000Z'),
    endsAt: null,
    closedAt: null,
    cutAt: null,
    reversedAt: null,
    usedAt: null,
    unsettledSince: null,
    leaseUntil: CREATED_AT,
    ...changes,
  };
}

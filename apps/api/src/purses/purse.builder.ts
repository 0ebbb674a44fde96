/** Purses for specs. Not part of the build. */
import { idOf } from '#database';
import type { Purse } from './purse.entity';

const CREATED_AT = new Date('2026-03-01T00:00:00.000Z');

/** An open purse of 1 USDC out of which nothing was paid, with `changes`. */
export function aPurse(changes: Partial<Purse> = {}): Purse {
  return {
    id: idOf('purse', Buffer.alloc(16, 5)),
    operatorId: 'op_1',
    accountId: 'acct_payer',
    category: null,
    reference: null,
    metadata: {},
    kind: 'allowance',
    paymentId: null,
    sweptMicroUsdc: 0n,
    recordedMicroUsdc: 0n,
    goneAt: null,
    host: null,
    microUsdc: 1_000_000n,
    committedMicroUsdc: 0n,
    spentMicroUsdc: 0n,
    returnedMicroUsdc: 0n,
    expiresInSeconds: 900,
    delegateKey: 'Delegate',
    delegateKeySealed: null,
    status: 'open',
    seq: 1n,
    openSignature: 'OpenSignature',
    endSignature: null,
    createdAt: CREATED_AT,
    openedAt: new Date('2026-03-01T00:00:02.000Z'),
    expiresAt: new Date('2026-03-01T00:15:02.000Z'),
    closedAt: null,
    cutAt: null,
    reversedAt: null,
    leaseUntil: CREATED_AT,
    ...changes,
  };
}

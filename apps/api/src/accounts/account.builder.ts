/** Accounts for specs. Not part of the build. */
import { idOf } from '#database';
import { DEFAULT_POLICY } from '../policy';
import type { Account } from './account.entity';

const CREATED_AT = new Date('2026-03-01T00:00:00.000Z');

/** An open account with the default policy and nothing in it, with `changes`. */
export function anAccount(changes: Partial<Account> = {}): Account {
  return {
    id: idOf('acct', Buffer.alloc(16, 5)),
    operatorId: 'op_1',
    name: 'Research agent',
    nameKey: 'research agent',
    handle: 'research-agent-abc234',
    metadata: {},
    labels: [],
    state: 'open',
    finalized: true,
    creator: 'Creator',
    chainAddress: 'ChainAddress',
    usdcTokenAccount: 'TokenAccount',
    fleetId: null,
    fleetAddress: null,
    hasOwnPolicy: true,
    allowedHosts: null,
    allowedHostsUpdatedAt: null,
    mac: null,
    authorityKey: 'AuthorityKey',
    authorityKeySealed: 'sealed',
    pendingAuthorityKey: null,
    pendingAuthorityKeySealed: null,
    pendingAuthorityMac: null,
    closing: false,
    nextSeq: 1n,
    observedSlot: 0n,
    policy: DEFAULT_POLICY,
    policyVersion: 1n,
    policyUpdatedAt: CREATED_AT,
    paused: false,
    balanceMicroUsdc: 0n,
    balanceAsOf: CREATED_AT,
    creationKey: null,
    creationHash: null,
    creationKeyUntil: null,
    leaseUntil: CREATED_AT,
    createdAt: CREATED_AT,
    ...changes,
  };
}

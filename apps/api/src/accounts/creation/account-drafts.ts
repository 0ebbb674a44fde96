import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LocalSigner } from '#chain';
import { DEFAULT_POLICY } from '../../policy';
import { Clock } from '../../runtime/clock';
import { EncryptionService } from '../../secrets';
import { AccountMacs } from '../recipients/account-macs';
import type { Account } from '../account.entity';

const HANDLE_SLUG_LENGTH = 32;
const HANDLE_SUFFIX_LENGTH = 6;
const HANDLE_ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Facts of an account before it has a row. */
export type AccountToDraft = Pick<
  Account,
  | 'id'
  | 'operatorId'
  | 'name'
  | 'metadata'
  | 'labels'
  | 'state'
  | 'creator'
  | 'chainAddress'
  | 'usdcTokenAccount'
  | 'nextSeq'
  | 'leaseUntil'
> &
  Partial<Pick<Account, 'fleetId' | 'fleetAddress'>>;

/** Rows of accounts that are not stored yet, each with a new authority key. */
@Injectable()
export class AccountDrafts {
  constructor(
    private readonly clock: Clock,
    private readonly encryption: EncryptionService,
    private readonly macs: AccountMacs,
  ) {}

  draft(account: AccountToDraft): Account {
    const now = this.clock.now();
    const { signer, seed } = LocalSigner.generate();
    const handle = handleOf(account.name);
    const { fleetId = null, fleetAddress = null } = account;
    const facts = { ...account, handle, allowedHosts: null, fleetId };
    return {
      ...facts,
      fleetAddress,
      hasOwnPolicy: fleetId === null,
      nameKey: account.name.toLowerCase(),
      allowedHostsUpdatedAt: null,
      mac: this.macs.of(facts),
      authorityKey: signer.address,
      authorityKeySealed: this.encryption.seal('account-authority', account.id, seed),
      pendingAuthorityKey: null,
      pendingAuthorityKeySealed: null,
      pendingAuthorityMac: null,
      closing: false,
      finalized: false,
      observedSlot: 0n,
      policy: DEFAULT_POLICY,
      policyVersion: fleetId === null ? 1n : 0n,
      policyUpdatedAt: now,
      paused: false,
      balanceMicroUsdc: 0n,
      balanceAsOf: now,
      creationKey: null,
      creationHash: null,
      creationKeyUntil: null,
      createdAt: now,
    };
  }
}

/** A handle: the letters and digits of the name, and one of 32^6 random suffixes. */
export function handleOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, HANDLE_SLUG_LENGTH)
    .replace(/^-+|-+$/g, '');
  const suffix = Array.from({ length: HANDLE_SUFFIX_LENGTH }, () => HANDLE_ALPHABET.charAt(randomInt(HANDLE_ALPHABET.length))).join('');
  return `${slug === '' ? 'account' : slug}-${suffix}`;
}

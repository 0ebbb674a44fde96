import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, LocalSigner, SignatureRequiredError } from '#chain';
import { type Account, AccountLeases, AccountsService, type AccountView, AccountViews } from '../accounts';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { EncryptionService, RowMacs } from '../secrets';
import { type NewAuthority, SignatureRequired, type Signed } from '../signatures';
import { JobsService } from '../jobs/jobs.service';
import { PurseStore } from '../purses';
import { asOperator } from './as-operator';
import { AccountBusy, ForgedRotation } from './key-rotation.errors';
import { messageOf } from '../runtime/observability/message-of';

const RECOVERY_EVERY_MS = 5_000;

/** Rotates the authority keys of accounts: stores the sealed new key, sets it on chain, then makes it current. */
@Injectable()
export class AuthorityRotationService implements OnModuleInit {
  private readonly logger = new Logger('Custody');

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly views: AccountViews,
    private readonly leases: AccountLeases,
    private readonly encryption: EncryptionService,
    private readonly macs: RowMacs,
    private readonly audit: AuditLog,
    private readonly jobs: JobsService,
    private readonly purses: PurseStore,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'authority-rotation', everyMs: RECOVERY_EVERY_MS, run: () => this.finishOverdue() });
  }

  /**
   * Gives an account a new authority key. `signed`: what the operator has signed, if it holds its chain key itself.
   * @throws NotFound, AccountBusy, ChainUnavailableError, ChainOutcomeUnknownError; SignatureRequired, and then nothing has changed.
   */
  async rotate(caller: Caller, accountId: string, signed: Signed | null): Promise<AccountView> {
    const { operatorId } = caller;
    const found = await this.accounts.find(operatorId, accountId);
    const { id } = found;
    const pending = signed?.authority ?? this.newAuthority(id);
    if (!signed && (await this.accounts.isExternal(found))) await this.requireSignature(found, pending);
    // A key that cannot be decrypted any more would lock the account's money up.
    if (signed) this.encryption.unseal('account-authority', id, pending.sealed);
    const { authority } = await this.accounts.onChain(found);
    const account = await this.leases.claimForRotation(id, this.withMac(found, authority, pending));
    if (!account) throw new AccountBusy();
    try {
      await this.audit.record(caller, { action: 'authority_key.rotated', object: id, after: { authority_key: pending.key } });
      await this.finish(account, signed);
    } catch (error) {
      // Nothing was sent, or it has expired, so the new key is deleted.
      const isUnsent = error instanceof ChainUnavailableError || error instanceof SignatureRequiredError;
      if (isUnsent && account.pendingAuthorityKey === pending.key) await this.leases.cancelRotation(id);
      throw SignatureRequired.with(error, { authority: pending });
    }
    return this.views.show(operatorId, id);
  }

  /**
   * Sets a new authority for those of these accounts whose authority on chain the database does not have: after a restore it has been rotated
   * since the backup, or the account was created since. Returns the ids of those that only their operator can sign for.
   * @throws ChainUnavailableError
   */
  async replaceUnknown(accounts: Account[]): Promise<{ replaced: string[]; unreachable: string[] }> {
    const onChain = await this.chain.accounts.findMany(accounts.map(({ chainAddress }) => chainAddress));
    const unknown = accounts.flatMap((account, index) => {
      const authority = onChain[index]?.authority;
      const isKnown = authority === undefined || authority === account.authorityKey || authority === account.pendingAuthorityKey;
      return isKnown ? [] : [{ account, authority }];
    });
    const replaced: string[] = [];
    const unreachable: string[] = [];
    for (const { account, authority } of unknown) {
      const isReplaced = await this.replace(account, authority);
      (isReplaced ? replaced : unreachable).push(account.id);
    }
    return { replaced, unreachable };
  }

  /** False if the service cannot sign for the operator, or another process rotates. */
  private async replace(account: Account, authority: string): Promise<boolean> {
    const { id, operatorId } = account;
    if (await this.accounts.isExternal(account)) return false;
    const pending = this.newAuthority(id);
    const claimed = await this.leases.claimForRotation(id, this.withMac(account, authority, pending));
    if (!claimed) return false;
    await this.audit.record(
      { operatorId, type: 'service' },
      { action: 'authority_key.rotated', object: id, after: { authority_key: claimed.pendingAuthorityKey } },
    );
    await this.finish(claimed, null);
    return true;
  }

  private withMac(account: Account, from: string, { key, sealed }: NewAuthority): NewAuthority & { mac: Buffer } {
    return { key, sealed, mac: this.macs.of('authority-rotation', factsOf(account, from, key)) };
  }

  private newAuthority(accountId: string): NewAuthority {
    const { signer, seed } = LocalSigner.generate();
    return { key: signer.address, sealed: this.encryption.seal('account-authority', accountId, seed) };
  }

  /** @throws SignatureRequired with the transaction that the operator must sign. */
  private async requireSignature(account: Account, authority: NewAuthority): Promise<void> {
    try {
      await this.chain.administration.rotateAuthority(account.chainAddress, authority.key, await this.accounts.operatorOf(account));
    } catch (error) {
      throw SignatureRequired.with(error, { authority });
    }
  }

  /** Finishes a rotation from any step: reads from the chain whether the account has the new key already. */
  private async finish(account: Account, signed: Signed | null): Promise<void> {
    const { id, chainAddress, pendingAuthorityKey } = account;
    if (pendingAuthorityKey === null) return;
    const { authority } = await this.accounts.onChain(account);
    if (authority !== pendingAuthorityKey) {
      const facts = factsOf(account, authority, pendingAuthorityKey);
      if (!this.macs.isGenuine('authority-rotation', facts, account.pendingAuthorityMac)) throw new ForgedRotation();
      const { slot } = await asOperator(this.accounts, { account, signed }, (operator) =>
        this.chain.administration.rotateAuthority(chainAddress, pendingAuthorityKey, operator),
      );
      await this.accounts.noteChange(id, slot);
    }
    // The key that is replaced may be stolen: what channel purses hold comes home first, and then what their channels hold.
    await this.purses.beginClosingChannels(id);
    await this.accounts.promoteAuthority(id, pendingAuthorityKey);
  }

  private async finishOverdue(): Promise<void> {
    for (const account of await this.leases.overdueRotations()) {
      await this.finish(account, null).catch((error: unknown) => this.leave(account, error));
    }
  }

  private async leave({ id }: Account, error: unknown): Promise<void> {
    // The lease has ended, so what the operator signed can land no more: the rotation was not made.
    if (error instanceof SignatureRequiredError || error instanceof ForgedRotation) await this.leases.cancelRotation(id);
    this.logger.warn(`The rotation of ${id} is not finished: ${messageOf(error)}`);
  }
}

/** The present and the next authority of an account. A code of an earlier rotation names an earlier authority. */
function factsOf({ id, chainAddress }: Account, from: string, to: string): unknown[] {
  return [id, chainAddress, from, to];
}

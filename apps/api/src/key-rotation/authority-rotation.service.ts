import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, LocalSigner, SignatureRequiredError } from '#chain';
import { type Account, AccountLeases, AccountsService, type AccountView } from '../accounts';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { NotFound } from '../http/domain.errors';
import { EncryptionService } from '../secrets';
import { type NewAuthority, SignatureRequired, type Signed } from '../signatures';
import { JobsService } from '../jobs/jobs.service';
import { asOperator } from './as-operator';
import { AccountBusy } from './key-rotation.errors';

const RECOVERY_EVERY_MS = 5_000;

/** Rotates the authority keys of accounts: stores the sealed new key, sets it on chain, then makes it current. */
@Injectable()
export class AuthorityRotationService implements OnModuleInit {
  private readonly logger = new Logger('Custody');

  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
    private readonly leases: AccountLeases,
    private readonly encryption: EncryptionService,
    private readonly audit: AuditLog,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'authority-rotation', everyMs: RECOVERY_EVERY_MS, run: () => this.finishOverdue() });
  }

  /**
   * Gives an account a new authority key. `signed`: what the operator has signed, where it holds its chain key itself.
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
    const account = await this.leases.claimForRotation(id, pending);
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
    return this.accounts.show(operatorId, id);
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
    const onChain = await this.chain.accounts.find(chainAddress);
    if (!onChain) throw new NotFound('There is no such account.');
    if (onChain.authority !== pendingAuthorityKey) {
      const { slot } = await asOperator(this.accounts, { account, signed }, (operator) =>
        this.chain.administration.rotateAuthority(chainAddress, pendingAuthorityKey, operator),
      );
      await this.accounts.noteChange(id, slot);
    }
    await this.accounts.promoteAuthority(id, pendingAuthorityKey);
  }

  private async finishOverdue(): Promise<void> {
    for (const account of await this.leases.overdueRotations()) {
      await this.finish(account, null).catch((error: unknown) => this.leave(account, error));
    }
  }

  private async leave({ id }: Account, error: unknown): Promise<void> {
    // The lease has ended, so what the operator signed can land no more: the rotation was not made.
    if (error instanceof SignatureRequiredError) await this.leases.cancelRotation(id);
    this.logger.warn(`The rotation of ${id} is not finished: ${error instanceof Error ? error.message : String(error)}`);
  }
}

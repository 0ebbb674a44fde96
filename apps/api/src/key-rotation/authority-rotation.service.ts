import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainUnavailableError, LocalSigner } from '#chain';
import { type Account, AccountLeases, AccountsService, type AccountView } from '../accounts';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { NotFound } from '../http/domain.errors';
import { EncryptionService } from '../secrets';
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

  /** Gives an account a new authority key. @throws NotFound, AccountBusy, ChainUnavailableError, ChainOutcomeUnknownError */
  async rotate(caller: Caller, accountId: string): Promise<AccountView> {
    const { operatorId } = caller;
    const { id } = await this.accounts.find(operatorId, accountId);
    const { signer, seed } = LocalSigner.generate();
    const pending = { key: signer.address, sealed: this.encryption.seal('account-authority', id, seed) };
    const account = await this.leases.claimForRotation(id, pending);
    if (!account) throw new AccountBusy();
    try {
      await this.audit.record(caller, { action: 'authority_key.rotated', object: id, after: { authority_key: pending.key } });
      await this.finish(account);
    } catch (error) {
      // Nothing was sent, so the new key is deleted.
      const isDropped = error instanceof ChainUnavailableError && account.pendingAuthorityKey === signer.address;
      if (isDropped) await this.leases.cancelRotation(id);
      throw error;
    }
    return this.accounts.show(operatorId, id);
  }

  /** Finishes a rotation from any step: reads from the chain whether the account has the new key already. */
  private async finish(account: Account): Promise<void> {
    const { id, chainAddress, pendingAuthorityKey } = account;
    if (pendingAuthorityKey === null) return;
    const onChain = await this.chain.accounts.find(chainAddress);
    if (!onChain) throw new NotFound('There is no such account.');
    if (onChain.authority !== pendingAuthorityKey) {
      const { slot } = await asOperator(this.accounts, account, (operator) =>
        this.chain.administration.rotateAuthority(chainAddress, pendingAuthorityKey, operator),
      );
      await this.accounts.noteChange(id, slot);
    }
    await this.accounts.promoteAuthority(id, pendingAuthorityKey);
  }

  private async finishOverdue(): Promise<void> {
    for (const account of await this.leases.overdueRotations()) {
      await this.finish(account).catch((error: unknown) =>
        this.logger.warn(`The rotation of ${account.id} is not finished: ${error instanceof Error ? error.message : String(error)}`),
      );
    }
  }
}

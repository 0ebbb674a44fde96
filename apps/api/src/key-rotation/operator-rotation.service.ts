import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Chain, ChainOutcomeUnknownError, ChainUnavailableError, LocalSigner, type Signer } from '#chain';
import { pollUntil } from '../runtime/poll';
import { AccountsService } from '../accounts';
import { OperatorLeases, type OperatorRotation, OperatorsService } from '../keys';
import { EncryptionService } from '../secrets';
import { JobsService } from '../jobs/jobs.service';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { OperatorBusy, RotationUnsettled } from './key-rotation.errors';

const RECOVERY_EVERY_MS = 5_000;
/** Accounts that are changed at once. */
const BATCH = 8;
/** How long a rotation waits for accounts that are being created, and how often it polls. */
const CREATION_WAIT_MS = 20_000;
const POLL_MS = 200;

/** An operator with its current chain key. */
export interface OperatorView {
  operator_id: string;
  chain_key: string;
}

/**
 * Rotates operators' chain keys: stores the sealed new key, sets it on every account on chain, then makes it current. Until all accounts
 * have the new key both keys are stored, and each account on chain names the one that it obeys.
 */
@Injectable()
export class OperatorRotationService implements OnModuleInit {
  private readonly logger = new Logger('Custody');

  constructor(
    private readonly chain: Chain,
    private readonly operators: OperatorsService,
    private readonly leases: OperatorLeases,
    private readonly accounts: AccountsService,
    private readonly encryption: EncryptionService,
    private readonly audit: AuditLog,
    private readonly jobs: JobsService,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'operator-rotation', everyMs: RECOVERY_EVERY_MS, run: () => this.finishOverdue() });
  }

  /** Gives an operator a new chain key. @throws OperatorBusy; RotationUnsettled while some accounts still have the old key. */
  async rotate(caller: Caller): Promise<OperatorView> {
    const { operatorId } = caller;
    const { signer, seed } = LocalSigner.generate();
    const sealed = this.encryption.seal('operator-chain-key', operatorId, seed);
    const rotation = await this.leases.claimForRotation(operatorId, { key: signer.address, sealed });
    if (!rotation) throw new OperatorBusy();
    const after = { chain_key: rotation.pendingChainKey };
    try {
      await this.audit.record(caller, { action: 'operator_key.rotated', object: operatorId, after });
      await this.finish(rotation);
    } catch (error) {
      // Only the old key can change an account, so a transaction that still lands does no harm. The next run of the job continues.
      await this.leases.release(operatorId);
      throw error instanceof ChainUnavailableError || error instanceof ChainOutcomeUnknownError ? new RotationUnsettled() : error;
    }
    return { operator_id: operatorId, chain_key: rotation.pendingChainKey };
  }

  private async finish({ operatorId: id, pendingChainKey: newKey }: OperatorRotation): Promise<void> {
    const newSigner = await this.operators.signer(id, newKey);
    if (!newSigner) throw new Error(`the pending chain key of ${id} is missing`);
    await this.moveAll(id, newSigner);
    await this.operators.promoteKey(id, newKey);
  }

  /**
   * Sets the new key on all accounts. Accounts that are created later have it already: their creation reads the operator after it stored
   * the row.
   */
  private async moveAll(operatorId: string, newSigner: Signer): Promise<void> {
    let remaining = await this.accounts.addressesOf(operatorId);
    const moveRemaining = async (): Promise<true | undefined> => {
      const missing: string[] = [];
      for (let at = 0; at < remaining.length; at += BATCH) {
        await this.leases.renew(operatorId);
        missing.push(...(await this.moveBatch(operatorId, remaining.slice(at, at + BATCH), newSigner)));
      }
      // A creation that failed leaves no row, and then there is no account to wait for.
      const existing = missing.length === 0 ? [] : await this.accounts.addressesOf(operatorId);
      remaining = existing.filter((address) => missing.includes(address));
      return remaining.length === 0 ? true : undefined;
    };
    if (!(await pollUntil(moveRemaining, { everyMs: POLL_MS, withinMs: CREATION_WAIT_MS }))) throw new RotationUnsettled();
  }

  /** Sets the new key on accounts. Returns the addresses that do not exist on chain yet. */
  private async moveBatch(operatorId: string, addresses: string[], newSigner: Signer): Promise<string[]> {
    const onChain = await this.chain.accounts.findMany(addresses);
    const old = onChain.filter((account) => account !== null && account.operator !== newSigner.address);
    const moves = await Promise.allSettled(
      old.map(async (account) => {
        const oldSigner = account && (await this.operators.signer(operatorId, account.operator));
        if (!oldSigner) throw new Error(`the operator of ${account?.address} on chain is none of ${operatorId}'s keys`);
        await this.chain.administration.setOperator(account.address, oldSigner, newSigner);
      }),
    );
    for (const move of moves) if (move.status === 'rejected') throw move.reason;
    return addresses.filter((_, index) => onChain[index] === null);
  }

  private async finishOverdue(): Promise<void> {
    for (const rotation of await this.leases.overdueRotations()) {
      try {
        await this.finish(rotation);
        this.logger.log(`The chain key of ${rotation.operatorId} is ${rotation.pendingChainKey} now.`);
      } catch (error) {
        await this.leases.release(rotation.operatorId);
        this.logger.warn(
          `The rotation of ${rotation.operatorId} is not finished: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }
}

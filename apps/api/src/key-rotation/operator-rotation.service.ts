import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Chain, ChainOutcomeUnknownError, ChainUnavailableError, LocalSigner, type Signer } from '#chain';
import { type Row, sql } from '#database';
import { Lease } from '../persistence/lease';
import { Clock } from '../runtime/clock';
import { AccountsService } from '../accounts';
import { OperatorsService } from '../keys';
import { EncryptionService } from '../secrets';
import { JobsService } from '../jobs/jobs.service';
import { OperatorBusy, RotationUnsettled } from './key-rotation.errors';

const SWEEP_EVERY_MS = 5_000;
/** Length of a rotation's lease, which is renewed with every batch. */
const LEASE_MS = 120_000;
/** Accounts changed at once. */
const BATCH = 8;
/** How long a rotation waits for accounts that are being created, and how often it looks. */
const CREATION_WAIT_MS = 20_000;
const LOOK_EVERY_MS = 200;

export interface OperatorView {
  operator_id: string;
  chain_key: string;
}

interface Rotation {
  id: string;
  pendingChainKey: string;
}

/**
 * Gives an operator another chain key: sealed and kept first, then account by account on chain, then current. Until all
 * accounts obey the new key both are kept, and each account is asked which one it obeys.
 */
@Injectable()
export class OperatorRotationService implements OnModuleInit {
  private readonly logger = new Logger('Custody');

  private readonly lease: Lease;

  constructor(
    @InjectDataSource() database: DataSource,
    clock: Clock,
    private readonly chain: Chain,
    private readonly operators: OperatorsService,
    private readonly accounts: AccountsService,
    private readonly encryption: EncryptionService,
    private readonly jobs: JobsService,
  ) {
    this.lease = new Lease(database, clock, { table: 'operators', column: 'rotation_lease_until', durationMs: LEASE_MS });
  }

  onModuleInit(): void {
    this.jobs.register({ name: 'operator-rotation', everyMs: SWEEP_EVERY_MS, run: () => this.finishOverdue() });
  }

  async rotate(operatorId: string): Promise<OperatorView> {
    const { signer, seed } = LocalSigner.generate();
    const sealed = this.encryption.seal('operator-chain-key', operatorId, seed);
    const row = await this.lease.claimOne(operatorId, {
      where: sql`true`,
      set: sql`pending_chain_key = COALESCE(pending_chain_key, ${signer.address}), pending_chain_key_sealed = COALESCE(pending_chain_key_sealed, ${sealed})`,
    });
    const rotation = row && rotationOf(row);
    if (!rotation) throw new OperatorBusy();
    try {
      await this.finish(rotation);
    } catch (error) {
      // An account is changed by the old key alone, so what may still land does no harm: the next sweep goes on at once.
      await this.lease.release(operatorId);
      throw error instanceof ChainUnavailableError || error instanceof ChainOutcomeUnknownError ? new RotationUnsettled() : error;
    }
    return { operator_id: operatorId, chain_key: rotation.pendingChainKey };
  }

  private async finish({ id, pendingChainKey: newKey }: Rotation): Promise<void> {
    const newSigner = await this.operators.signer(id, newKey);
    if (!newSigner) throw new Error(`the pending chain key of ${id} is gone`);
    await this.moveAll(id, newSigner);
    await this.operators.promoteKey(id, newKey);
  }

  /** Accounts begun later have the new key from the start: whoever creates one reads the operator after its row is written. */
  private async moveAll(operatorId: string, newSigner: Signer): Promise<void> {
    let left = await this.accounts.addressesOf(operatorId);
    for (const deadline = performance.now() + CREATION_WAIT_MS; left.length > 0; await setTimeout(LOOK_EVERY_MS)) {
      const unborn: string[] = [];
      for (let at = 0; at < left.length; at += BATCH) {
        await this.lease.renew([operatorId]);
        unborn.push(...(await this.moveBatch(operatorId, left.slice(at, at + BATCH), newSigner)));
      }
      left = unborn.length === 0 ? [] : (await this.accounts.addressesOf(operatorId)).filter((address) => unborn.includes(address));
      if (left.length > 0 && performance.now() > deadline) throw new RotationUnsettled();
    }
  }

  /** Returns those that are not on the chain yet. */
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
    const overdue = await this.lease.claim({ where: sql`pending_chain_key IS NOT NULL`, limit: BATCH });
    for (const rotation of overdue.map(rotationOf)) {
      try {
        await this.finish(rotation);
        this.logger.log(`The chain key of ${rotation.id} is ${rotation.pendingChainKey} now.`);
      } catch (error) {
        await this.lease.release(rotation.id);
        this.logger.warn(`The rotation of ${rotation.id} is not finished: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}

function rotationOf({ id, pending_chain_key: pendingChainKey }: Row): Rotation {
  return { id: String(id), pendingChainKey: String(pendingChainKey) };
}

import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import {
  type Acceptance,
  Chain,
  ExternalSigner,
  isAway,
  lacksSignature,
  LocalSigner,
  MAX_HANDED_OVER,
  type Signer,
  SignatureRequiredError,
} from '#chain';
import { AccountsService } from '../accounts';
import { FleetsStore } from '../fleets';
import { AuditLog } from '../audit';
import type { Caller } from '../http/caller';
import { JobsService } from '../jobs/jobs.service';
import { Failpoints } from '../runtime/failpoints';
import { type NextChainKey, OperatorLeases, type OperatorRotation, OperatorsService } from '../keys';
import { pollUntil } from '../runtime/poll';
import { EncryptionService } from '../secrets';
import type { Signed } from '../signatures';
import { ForgedRotation, HandingOver, OperatorBusy, RotationUnsettled } from './key-rotation.errors';
import { messageOf } from '../runtime/observability/message-of';

const RECOVERY_EVERY_MS = 5_000;
/** Accounts that are changed at once. */
const BATCH = 8;
/** Accounts that a request hands over before it is answered. */
const MAX_AT_ONCE = 100;
/** How long a rotation waits for accounts that are being created, and how often it polls. */
const CREATION_WAIT_MS = 20_000;
const POLL_MS = 200;
/** How long a request waits for the job that holds the rotation for a moment. */
const CLAIM_WAIT_MS = 5_000;

/** An operator with its current chain key. */
export interface OperatorView {
  operator_id: string;
  chain_key: string;
}

/**
 * Changes operators' chain keys: stores the next key, sets it on every account on chain, then makes it current. Until all accounts have the
 * next key both are stored, and each account on chain names the one that it obeys. Either key is held by the service, sealed, or outside of
 * it, by an operator who has accepted the accounts.
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
    private readonly fleets: FleetsStore,
    private readonly failpoints: Failpoints,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ name: 'operator-rotation', everyMs: RECOVERY_EVERY_MS, run: () => this.finishOverdue() });
  }

  /**
   * Gives an operator a new chain key that the service holds. `signed`: what the operator has signed, if it holds the one before.
   * @throws OperatorBusy; HandingOver; RotationUnsettled while some accounts still have the old key; SignatureRequiredError
   */
  async rotate(caller: Caller, signed: Signed | null): Promise<OperatorView> {
    const { operatorId } = caller;
    const { signer, seed } = LocalSigner.generate();
    const sealed = this.encryption.seal('operator-chain-key', operatorId, seed);
    const rotation = await this.claim(caller, { key: signer.address, sealed });
    if (rotation.acceptance) throw await this.handingOver(rotation);
    await this.finishOrRelease(rotation, signed);
    return { operator_id: operatorId, chain_key: rotation.pendingChainKey };
  }

  /**
   * Hands all accounts of an operator to a key that is held outside of the service. If the service holds the key before, it does so by
   * itself: at once for a few accounts, else by the job, which also finishes what the chain did not take in time. If the operator holds it,
   * `signed` is what the operator has signed.
   * @throws OperatorBusy; HandingOver; RotationUnsettled; SignatureRequiredError
   */
  async handOver(caller: Caller, acceptance: Acceptance, signed: Signed | null): Promise<void> {
    const rotation = await this.claim(caller, { key: acceptance.address, acceptance });
    if (rotation.pendingChainKey !== acceptance.address) throw await this.handingOver(rotation);
    const isHeld = (await this.operators.custody(caller.operatorId)) === 'service';
    if (isHeld && (await this.accounts.addressesOf(caller.operatorId)).length > MAX_AT_ONCE) return this.leases.release(caller.operatorId);
    await this.finishOrRelease(rotation, signed).catch((error: unknown) => {
      if (!isHeld || !(error instanceof RotationUnsettled)) throw error;
    });
  }

  /** Claims the operator, and stores the next key unless there is one. @throws OperatorBusy */
  private async claim(caller: Caller, next: NextChainKey): Promise<OperatorRotation> {
    const { operatorId } = caller;
    const { chainKey, pendingChainKey: earlier } = await this.operators.find(operatorId);
    const claim = () => this.leases.claimForRotation(operatorId, chainKey, next);
    const rotation = await pollUntil(claim, { everyMs: POLL_MS, withinMs: CLAIM_WAIT_MS });
    if (!rotation) throw new OperatorBusy();
    const action = 'acceptance' in next ? 'operator_key.handed_over' : 'operator_key.rotated';
    const isNew = earlier === null && rotation.pendingChainKey === next.key;
    if (isNew) await this.audit.record(caller, { action, object: operatorId, after: { chain_key: next.key } });
    return rotation;
  }

  private async handingOver({ operatorId, pendingChainKey }: OperatorRotation): Promise<HandingOver> {
    await this.leases.release(operatorId);
    return new HandingOver(pendingChainKey);
  }

  private async finishOrRelease(rotation: OperatorRotation, signed: Signed | null): Promise<void> {
    try {
      await this.finish(rotation, signed);
    } catch (error) {
      // Only the old key can change an account, so a transaction that still lands does no harm. The next run of the job continues.
      await this.leases.release(rotation.operatorId);
      throw isAway(error) ? new RotationUnsettled() : error;
    }
  }

  private async finish(rotation: OperatorRotation, signed: Signed | null): Promise<void> {
    const { operatorId, pendingChainKey } = rotation;
    if (!rotation.isGenuine) throw new ForgedRotation();
    const next = rotation.acceptance ?? (await this.operators.signer(operatorId, pendingChainKey));
    if (!next) throw new Error(`the pending chain key of ${operatorId} is missing`);
    await this.moveAll(rotation, next, signed);
    await this.operators.promoteKey(operatorId, pendingChainKey);
  }

  /**
   * Sets the next key on all accounts. Accounts that are created later have it already: their creation reads the operator after it stored
   * the row.
   */
  private async moveAll({ operatorId, chainKey }: OperatorRotation, next: Signer | Acceptance, signed: Signed | null): Promise<void> {
    const operator = new ExternalSigner(chainKey, signed?.held);
    // First: with its fleet each member is handed over, in one transaction.
    await this.moveFleets(operatorId, next, operator);
    let remaining = await this.accounts.addressesOf(operatorId);
    const moveRemaining = async (): Promise<true | undefined> => {
      const { absent, external } = await this.moveHeld(operatorId, remaining, next);
      for (let at = 0; at < external.length; at += MAX_HANDED_OVER) {
        await this.leases.renew(operatorId);
        await this.chain.administration.setOperator(external.slice(at, at + MAX_HANDED_OVER), operator, next);
      }
      // A creation that failed leaves no row, and then there is no account to wait for.
      const existing = absent.length === 0 ? [] : await this.accounts.addressesOf(operatorId);
      remaining = existing.filter((address) => absent.includes(address));
      return remaining.length === 0 ? true : undefined;
    };
    if (!(await pollUntil(moveRemaining, { everyMs: POLL_MS, withinMs: CREATION_WAIT_MS }))) throw new RotationUnsettled();
  }

  /** Sets the next key on the fleets, and so on their members. A fleet that is created later has it already. */
  private async moveFleets(operatorId: string, next: Signer | Acceptance, external: Signer): Promise<void> {
    const addresses = await this.fleets.addressesOf(operatorId);
    for (const fleet of await this.chain.fleets.findMany(addresses)) {
      if (!fleet || fleet.operator === next.address) continue;
      await this.leases.renew(operatorId);
      const signer = await this.operators.signer(operatorId, fleet.operator);
      if (!signer) throw new Error(`the operator of ${fleet.address} on chain is none of ${operatorId}'s keys`);
      await this.chain.fleets.setOperator(fleet.address, lacksSignature(signer) ? external : signer, next);
      this.failpoints.pass('fleet.handed');
    }
  }

  /**
   * Sets the next key on accounts that obey a key of the service. Returns the accounts that are not on chain yet, and those, in a fixed
   * order, that obey a key held outside: what their operator has signed is found again by it.
   */
  private async moveHeld(
    operatorId: string,
    addresses: string[],
    next: Signer | Acceptance,
  ): Promise<{ absent: string[]; external: string[] }> {
    const [absent, external]: [string[], string[]] = [[], []];
    for (let at = 0; at < addresses.length; at += BATCH) {
      await this.leases.renew(operatorId);
      const batch = addresses.slice(at, at + BATCH);
      const onChain = await this.chain.accounts.findMany(batch);
      absent.push(...batch.filter((_, index) => onChain[index] === null));
      const present = onChain.filter((account) => account !== null);
      const old = present.filter(({ controller, fleet }) => fleet === undefined && controller !== next.address);
      const moves = await Promise.allSettled(
        old.map(async ({ address, controller }) => {
          const signer = await this.operators.signer(operatorId, controller);
          if (!signer) throw new Error(`the operator of ${address} on chain is none of ${operatorId}'s keys`);
          if (lacksSignature(signer)) external.push(address);
          else await this.chain.administration.setOperator([address], signer, next);
        }),
      );
      for (const move of moves) if (move.status === 'rejected') throw move.reason;
    }
    return { absent, external: external.sort() };
  }

  private async finishOverdue(): Promise<void> {
    for (const rotation of await this.leases.overdueRotations()) {
      try {
        await this.finish(rotation, null);
        this.logger.log(`The chain key of ${rotation.operatorId} is ${rotation.pendingChainKey} now.`);
      } catch (error) {
        await this.leases.release(rotation.operatorId);
        // Only the operator can continue.
        if (error instanceof SignatureRequiredError || error instanceof ForgedRotation) continue;
        this.logger.warn(`The rotation of ${rotation.operatorId} is not finished: ${messageOf(error)}`);
      }
    }
  }
}

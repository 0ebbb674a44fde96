import { Injectable, Logger } from '@nestjs/common';
import { ChainRefusedError, lacksSignature, SignatureRequiredError } from '#chain';
import {
  type Account,
  AccountFleetService,
  AccountPolicyService,
  AccountSelection,
  AccountsService,
  ManyPolicies,
  MAX_LABELS,
  type PlannedGroup,
  resolvedChange,
  type ResolvedChange,
} from '../../accounts';
import { DomainError, FeePayerEmpty, isMissing } from '../../http/domain.errors';
import { FleetReader } from '../../fleets';
import { missingDependency } from '../../jobs/outages';
import { OperatorsService } from '../../keys';
import { PurseClosingService } from '../../payments';
import { PurseStore } from '../../purses';
import { FeePayerBalance } from '../../runtime/observability/fee-payer-balance';
import { messageOf } from '../../runtime/observability/message-of';
import { SignatureRequired, type Signed } from '../../signatures';
import type { BulkJob, Step } from '../bulk-job.entity';
import { policyOf } from '../bulk.dto';
import { type StepsResult, StepsWork } from './steps-work';

/** Accounts that are moved at once, each by a transaction. */
const MOVES_AT_ONCE = 8;
/** Said by a job while the chain is away. */
export const CHAIN_AWAY = 'The chain cannot be reached at the moment: the job goes on when it is back.';

/** Does the steps of bulk jobs: changes the policies of their accounts, as many in one transaction as fit. */
@Injectable()
export class BulkSteps {
  private readonly logger = new Logger('Bulk');

  constructor(
    private readonly selection: AccountSelection,
    private readonly policies: AccountPolicyService,
    private readonly many: ManyPolicies,
    private readonly operators: OperatorsService,
    private readonly feePayer: FeePayerBalance,
    private readonly accounts: AccountsService,
    private readonly fleets: FleetReader,
    private readonly accountFleets: AccountFleetService,
    private readonly purses: PurseStore,
    private readonly purseClosing: PurseClosingService,
  ) {}

  /** Does steps of a job that are in work. `signed`: what the operator has signed. @throws SignatureRequired, with `signed` alone */
  async run(job: BulkJob, steps: Step[], signed?: Signed | null): Promise<StepsResult> {
    const rows = await this.selection.load(
      job.operatorId,
      steps.map(({ accountId }) => accountId),
    );
    const work = new StepsWork(steps, new Map(rows.map((account) => [account.id, account])));
    if (job.labels) return this.relabel(job, job.labels, rows, work);
    if (job.action === 'end_purses') return this.endPurses(work);
    if (job.action === 'set_fleet') return this.move(job, work, signed);
    for (const isSuperseded of [false, true]) {
      const accounts = work.open(isSuperseded);
      if (accounts.length > 0) await this.change(work, accounts, { job, change: changeOf(job, isSuperseded), signed });
    }
    return work.result();
  }

  /** Labels are in the database only, so that accounts in creation have their turn too. */
  private async relabel({ action, operatorId }: BulkJob, labels: string[], rows: Account[], work: StepsWork): Promise<StepsResult> {
    const present = rows.filter(({ state }) => state !== 'closed');
    const ids = present.map(({ id }) => id);
    const changed = await this.selection.relabel(operatorId, ids, action === 'add_labels' ? { add: labels } : { remove: labels });
    const message = `The account would have more than ${MAX_LABELS} labels.`;
    for (const account of present)
      work.decide(account, changed.has(account.id) ? { status: 'done' } : { status: 'failed', error: 'invalid_request', message });
    return work.result();
  }

  /** Moves accounts into a fleet, or out of theirs, each by its own transaction. */
  private async move(job: BulkJob, work: StepsWork, signed: Signed | null | undefined): Promise<StepsResult> {
    const accounts = [...work.open(false), ...work.open(true)];
    try {
      if (await this.feePayer.isBelowReserve()) throw new FeePayerEmpty();
      const fleet = job.newFleetId === null ? null : await this.fleets.find(job.operatorId, job.newFleetId);
      const move = async (account: Account): Promise<void> => {
        try {
          await this.accountFleets.move(await this.accounts.find(job.operatorId, account.id), fleet, { signed: signed ?? null });
          work.settle([account], { status: 'done' });
        } catch (error) {
          const isUnsigned = error instanceof SignatureRequired || error instanceof SignatureRequiredError;
          if (isUnsigned && signed !== undefined) throw error;
          if (isUnsigned) work.leaveUnsigned([account]);
          else this.fail(work, [account], error);
        }
      };
      for (let at = 0; at < accounts.length; at += MOVES_AT_ONCE) await Promise.all(accounts.slice(at, at + MOVES_AT_ONCE).map(move));
    } catch (error) {
      if (error instanceof SignatureRequired || error instanceof SignatureRequiredError) throw error;
      this.fail(work, accounts, error);
    }
    return work.result();
  }

  /** Ends the open purses of accounts. An allowance that has not ended yet has another turn; channels end as their sellers' grace allows. */
  private async endPurses(work: StepsWork): Promise<StepsResult> {
    for (const account of [...work.open(false), ...work.open(true)]) {
      try {
        await this.purses.beginClosingChannels(account.id);
        const purses = await this.purses.unended(account.id);
        const ended = await Promise.all(purses.map((purse) => this.purseClosing.close(purse)));
        work.settle([account], { status: ended.every(({ status }) => status === 'closed') ? 'done' : 'waiting' });
      } catch (error) {
        this.fail(work, [account], error);
      }
    }
    return work.result();
  }

  private async change(work: StepsWork, accounts: Account[], how: How): Promise<void> {
    const always = new Set(how.change.change.paused === undefined ? [] : work.contested);
    try {
      if (how.change.change.paused !== true && (await this.feePayer.isBelowReserve())) throw new FeePayerEmpty();
      const plan = await this.many.plan(accounts, how.change.change, always);
      work.settle(plan.asAsked, { status: 'done' });
      work.settle(plan.missing, { status: 'waiting' }, 'An account is not on the chain at the moment: the service creates it again.');
      // The signed transaction is one, and is used once.
      if (how.signed === undefined) await Promise.all(plan.groups.map((group) => this.changeGroup(work, group, how)));
      else for (const group of plan.groups) await this.changeGroup(work, group, how);
    } catch (error) {
      if (error instanceof SignatureRequired || error instanceof SignatureRequiredError) throw error;
      this.fail(work, accounts, error);
    }
  }

  private async changeGroup(work: StepsWork, group: PlannedGroup, how: How): Promise<void> {
    const accounts = group.planned.map(({ account }) => account);
    const signer = await this.operators.signer(how.job.operatorId, group.operator, how.signed?.held);
    const isUnsigned = signer !== undefined && lacksSignature(signer);
    if (isUnsigned && how.signed === undefined) return work.leaveUnsigned(accounts);
    if (accounts.length === 1 || !signer) return this.changeEach(work, accounts, how);
    try {
      if (await this.many.apply(group, how.change, signer)) return work.settle(accounts, { status: 'done' });
    } catch (error) {
      if (error instanceof SignatureRequiredError) throw error;
      if (!(error instanceof ChainRefusedError)) return this.fail(work, accounts, error);
    }
    // One of them was changed meanwhile, or cannot be changed: each alone, or by a new transaction that the operator signs.
    if (how.signed !== undefined) return this.change(work, accounts, { ...how, signed: null });
    await this.changeEach(work, accounts, how);
  }

  private async changeEach(work: StepsWork, accounts: Account[], { change, signed = null }: How): Promise<void> {
    for (const account of accounts) {
      try {
        await this.policies.change(account, change, { signed });
        work.settle([account], { status: 'done' });
      } catch (error) {
        if (error instanceof SignatureRequired || error instanceof SignatureRequiredError) {
          if (signed !== null || accounts.length === 1) throw error;
          work.leaveUnsigned([account]);
        } else this.fail(work, [account], error);
      }
    }
  }

  /** A cause that passes leaves the accounts waiting. */
  private fail(work: StepsWork, accounts: Account[], error: unknown): void {
    const missing = missingDependency(error);
    if (missing === 'database') throw error;
    if (missing === 'chain') return work.settle(accounts, { status: 'waiting' }, CHAIN_AWAY);
    const passes = error instanceof DomainError ? error.status >= 500 || error.details.status === 'changing' : isMissingOnChain(error);
    if (passes) return work.settle(accounts, { status: 'waiting' }, messageOf(error));
    if (error instanceof DomainError) return work.settle(accounts, { status: 'failed', error: error.code, message: error.message });
    this.logger.error(`A step of a bulk job failed: ${error instanceof Error ? error.stack : String(error)}`);
    work.settle(accounts, { status: 'failed', error: 'internal_error', message: 'An internal error: change the account by itself.' });
  }
}

interface How {
  job: BulkJob;
  change: ResolvedChange;
  /** Undefined if the operator was not asked. */
  signed: Signed | null | undefined;
}

/** The change of a job's accounts. One that is superseded leaves alone whether they are paused. */
function changeOf(job: BulkJob, isSuperseded: boolean): ResolvedChange {
  const { paused, ...others } = policyOf(job);
  const wanted = isSuperseded || paused === undefined ? others : { ...others, paused };
  return resolvedChange(wanted, wanted.allowed_counterparties ? (job.counterparties ?? []) : wanted.allowed_counterparties);
}

function isMissingOnChain(error: unknown): boolean {
  return error instanceof ChainRefusedError && isMissing(error.reason);
}

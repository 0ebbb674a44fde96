import { Injectable } from '@nestjs/common';
import { ChainUnavailableError } from '#chain';
import type { Caller } from '../../http/caller';
import { ChainUnavailable } from '../../http/domain.errors';
import { DatabaseSize } from '../../persistence/database-size';
import type { Payment } from '../payment.entity';
import { PaymentFunding } from './payment-funding';
import type { Funding } from '../methods/payment-method';
import { isRerunnable } from '../payment.states';
import { PaymentKeys } from './payment-keys';
import type { OpenSessionDto } from '../payments.dto';
import { PaymentKeyConflict } from '../payments.errors';
import { RepeatedPayments } from './repeated-payments';

/** The payment of a request, and the source that it is paid with. */
export interface Claimed {
  payment: Payment;
  funding: Funding;
  /** This request runs the payment: it is new, or it failed and runs again. Otherwise the request replays it. */
  isOurs: boolean;
}

/** Gives each idempotency key one payment. */
@Injectable()
export class PaymentClaims {
  constructor(
    private readonly fundings: PaymentFunding,
    private readonly keys: PaymentKeys,
    private readonly repeated: RepeatedPayments,
    private readonly size: DatabaseSize,
  ) {}

  /**
   * Stores a payment, or finds the one that holds its idempotency key. A key's payment is found even if its session or purse is no
   * longer open. @throws NotFound, SessionNotOpen, PurseNotOpen, InvalidRequest for the account, the session or the purse; PaymentKeyConflict.
   */
  async claim(
    caller: Caller,
    draft: Payment,
    { openSession, evidence }: { openSession: OpenSessionDto | null; evidence: string },
  ): Promise<Claimed> {
    const { funding, held } = await this.fundings.of(caller, draft, openSession);
    if (!held) await this.requireNew(draft, funding);
    const { payment, isNew } = held ? { payment: held, isNew: false } : await this.keys.insert(draft, evidence);
    if (isNew) return { payment, funding, isOurs: true };

    await this.requireSame(payment, draft, caller);
    const rerun = isRerunnable(payment) ? await this.keys.rerun(payment) : undefined;
    if (!rerun) return { payment, funding, isOurs: false };
    return { payment: rerun, funding: await this.fundings.again(rerun, funding), isOurs: true };
  }

  /** The source of a draft, and the payment that `claim` would replay. Stores nothing. @throws what `claim` would, without StorageFull. */
  async foresee(
    caller: Caller,
    draft: Payment,
    openSession: OpenSessionDto | null,
  ): Promise<{ funding: Funding; replayed: Payment | undefined }> {
    const { funding, held } = await this.fundings.of(caller, draft, openSession);
    const earlier = held ?? (await this.keys.findByKey(draft));
    if (earlier) await this.requireSame(earlier, draft, caller);
    else await this.repeated.requireNew(draft, funding);
    return { funding, replayed: earlier && !isRerunnable(earlier) ? earlier : undefined };
  }

  /** Whether the key's payment is only replayed, so that no provider is called. */
  async isReplay(draft: Payment): Promise<boolean> {
    const earlier = await this.keys.findByKey(draft);
    return earlier !== undefined && !isRerunnable(earlier);
  }

  /** @throws PaymentKeyConflict if the payment that holds the key is of another request, or may not run again under it. */
  private async requireSame(holder: Payment, { requestHash }: Payment, caller: Caller): Promise<void> {
    if (!holder.requestHash.equals(requestHash)) throw new PaymentKeyConflict(holder, caller);
    if (isRerunnable(holder) && !(await this.keys.hasKey(holder))) throw new PaymentKeyConflict(null);
  }

  /** @throws StorageFull, MayBePaid, ChainUnavailable, unless the payment is stored. */
  private async requireNew(draft: Payment, funding: Funding): Promise<void> {
    try {
      await this.size.requireRoom();
      await this.repeated.requireNew(draft, funding);
    } catch (error) {
      if (await this.keys.findByKey(draft)) return;
      throw error instanceof ChainUnavailableError ? new ChainUnavailable() : error;
    }
  }
}

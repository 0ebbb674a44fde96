import { Injectable } from '@nestjs/common';
import { type Account, AccountMacs } from '../accounts';
import { allowsHost } from '../egress/allowed-hosts';
import type { Caller } from '../http/caller';
import type { OrderOutcome, StoredViolation } from '../orders';

/** Enforces the hosts that accounts and agent keys may pay. */
@Injectable()
export class AllowedHosts {
  constructor(private readonly macs: AccountMacs) {}

  /** The decline of a host that the account or the caller's key may not pay; undefined if both may. */
  violation(account: Account, { allowedHosts: ofKey }: Pick<Caller, 'allowedHosts'>, url: string): StoredViolation | undefined {
    return this.ofAccount(account, url) ?? (allowsHost(ofKey, url) ? undefined : violationOf('this API key', ofKey, url));
  }

  /** The outcome of an order for a URL that the account may not pay; undefined if it may, or if the order is for no URL. */
  outcome(account: Account, url: string | null): OrderOutcome | undefined {
    const violation = url === null ? undefined : this.ofAccount(account, url);
    return violation && { kind: 'declined', violation };
  }

  /** The decline of a host that the account itself may not pay; undefined if it may. */
  ofAccount(account: Account, url: string): StoredViolation | undefined {
    const { allowedHosts } = account;
    if (!this.macs.isGenuine(account))
      return {
        rule: 'allowed_hosts',
        message:
          'This account was changed in the database by another than the service: it pays no host until an operator has looked at it.',
        allowed: [],
        enforced_by: 'service',
      };
    return allowsHost(allowedHosts, url) ? undefined : violationOf('this account', allowedHosts, url);
  }
}

function violationOf(subject: string, allowed: readonly string[] | null, url: string): StoredViolation {
  const message = `The host ${new URL(url).host} is not among allowed_hosts of ${subject}.`;
  return { rule: 'allowed_hosts', message, allowed: [...(allowed ?? [])], enforced_by: 'service' };
}

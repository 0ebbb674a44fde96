import { Injectable } from '@nestjs/common';
import { Chain, isAddress } from '#chain';
import { isId } from '#database';
import { AccountsService, type Account } from '../accounts/accounts.service';
import { InvalidRecipient } from './transfers.errors';

export interface ResolvedRecipient {
  destination: string;
  destinationAccountId: string | null;
}

/** Finds the token account behind `to`, and whether it can receive. */
@Injectable()
export class Recipients {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
  ) {}

  /** @throws InvalidRecipient with the reason; ChainUnavailableError. */
  async resolve(payer: Account, to: string): Promise<ResolvedRecipient> {
    if (isId('acct', to)) return this.own(payer, to);
    if (!isAddress(to)) throw new InvalidRecipient('it is neither an account_id nor a chain address');
    if (to === payer.usdcTokenAccount) throw new InvalidRecipient('it is the paying account itself');
    const [recipient, account] = await Promise.all([this.chain.recipient(to), this.accounts.findByTokenAccount(to)]);
    if (recipient.kind === 'invalid') throw new InvalidRecipient(recipient.reason);
    return { destination: to, destinationAccountId: account?.id ?? null };
  }

  private async own(payer: Account, id: string): Promise<ResolvedRecipient> {
    if (id === payer.id) throw new InvalidRecipient('it is the paying account itself');
    const [account] = await this.accounts.findMany(payer.operatorId, [id]);
    if (!account) throw new InvalidRecipient('there is no such account');
    const recipient = await this.chain.recipient(account.usdcTokenAccount);
    if (recipient.kind === 'invalid') throw new InvalidRecipient(recipient.reason);
    return { destination: account.usdcTokenAccount, destinationAccountId: account.id };
  }
}

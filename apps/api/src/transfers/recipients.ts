import { Injectable } from '@nestjs/common';
import { Chain, isAddress } from '#chain';
import { isId } from '#database';
import { AccountsService, type Account } from '../accounts/accounts.service';
import { InvalidRecipient } from './transfers.errors';

export interface LocatedRecipient {
  /** The token account that is to receive. */
  destination: string;
  /** Whose it is, where it is one of this service's accounts. */
  destinationAccountId: string | null;
}

/** Finds the token account behind `to`. Whether it can receive, the program says. */
@Injectable()
export class Recipients {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
  ) {}

  /** @throws InvalidRecipient when `to` names nothing that could be a token account, or the payer itself. */
  async locate(payer: Account, to: string): Promise<LocatedRecipient> {
    if (to === payer.id || to === payer.usdcTokenAccount) throw new InvalidRecipient('it is the paying account itself');
    if (isId('acct', to)) {
      const destination = await this.accounts.tokenAccountOf(payer.operatorId, to);
      if (destination === null) throw new InvalidRecipient('there is no such account');
      return { destination, destinationAccountId: to };
    }
    if (!isAddress(to)) throw new InvalidRecipient('it is neither an account_id nor a chain address');
    return { destination: to, destinationAccountId: await this.accounts.idOfTokenAccount(to) };
  }

  /** What is wrong with an address that the program refused to pay. */
  async defect(address: string): Promise<string> {
    const recipient = await this.chain.recipient(address);
    return recipient.kind === 'invalid' ? recipient.reason : 'the program refused it';
  }
}

import { Injectable } from '@nestjs/common';
import { Chain, isAddress } from '#chain';
import { isId } from '#database';
import { type Account, AccountsService } from '../accounts';
import { InvalidRecipient } from './orders.errors';

/** The paying account and the token account that is credited. */
export interface Parties {
  payer: Account;
  destination: string;
  /** The account of this service that owns it, where one does. */
  destinationAccountId: string | null;
}

/** Finds the token account behind `to`. Whether it can receive, the program says. */
@Injectable()
export class Recipients {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountsService,
  ) {}

  /** @throws NotFound for the payer. A `to` that names nothing is answered by `defectOf`. */
  async parties(operatorId: string, from: string, to: string): Promise<Parties> {
    const { payer, recipient } = await this.accounts.findParties(operatorId, from, to);
    return { payer, destination: recipient?.usdcTokenAccount ?? to, destinationAccountId: recipient?.id ?? null };
  }

  /** @throws InvalidRecipient when `to` names nothing that could be a token account, or the payer itself. */
  require({ payer, destination, destinationAccountId }: Parties): void {
    if (destination === payer.usdcTokenAccount) throw new InvalidRecipient('it is the paying account itself');
    // The program holds its account while it looks at the recipient, so it could not say this itself.
    if (destination === payer.chainAddress) throw new InvalidRecipient('this address is not a token account');
    if (destinationAccountId !== null || isAddress(destination)) return;
    throw new InvalidRecipient(
      isId('acct', destination) ? 'there is no such account' : 'it is neither an account_id, a handle nor a chain address',
    );
  }

  /** What is wrong with an address that the program refused to pay. */
  async defect(address: string): Promise<string> {
    const recipient = await this.chain.orders.recipient(address);
    return recipient.kind === 'invalid' ? recipient.reason : 'the program refused it';
  }
}

import { Injectable } from '@nestjs/common';
import { Chain, isAddress } from '#chain';
import { isId } from '#database';
import { type Account, AccountRecipients } from '../../accounts';
import type { Caller } from '../../http/caller';
import { InvalidRecipient } from '../orders.errors';

/** The paying account and the token account that is credited. */
export interface Parties {
  payer: Account;
  destination: string;
  /** The account of this service that owns it, if one does. */
  destinationAccountId: string | null;
}

/** Finds the token account behind `to`. Whether it can receive, the program says. */
@Injectable()
export class Recipients {
  constructor(
    private readonly chain: Chain,
    private readonly accounts: AccountRecipients,
  ) {}

  /** @throws NotFound for the payer. A `to` that names nothing is answered by `defectOf`. */
  async parties(operatorId: string, from: string, to: string): Promise<Parties> {
    const { payer, recipient } = await this.accounts.parties(operatorId, from, to);
    return { payer, destination: recipient?.usdcTokenAccount ?? to, destinationAccountId: recipient?.id ?? null };
  }

  /** @throws InvalidRecipient when `to` names nothing that could be a token account, or the payer itself. */
  async require(caller: Caller, { payer, destination, destinationAccountId }: Parties): Promise<void> {
    if (destination === payer.usdcTokenAccount) throw new InvalidRecipient('it is the paying account itself');
    // The program holds its account while it looks at the recipient, so it could not say this itself.
    if (destination === payer.chainAddress) throw new InvalidRecipient('this address is not a token account');
    if (destinationAccountId !== null || isAddress(destination)) return;
    // An agent does not learn of accounts that it may not use.
    const named = caller.type === 'operator' ? await this.accounts.withName(caller.operatorId, destination) : [];
    throw new InvalidRecipient(nameDefect(destination, named) ?? defectOf(destination));
  }

  /** The defect of an address that the program refused to pay. */
  async defect(address: string): Promise<string> {
    const recipient = await this.chain.orders.recipient(address);
    return recipient.kind === 'invalid' ? recipient.reason : 'the program refused it';
  }
}

/** Why a name of accounts is not a recipient; undefined if no account has the name. */
function nameDefect(name: string, accounts: readonly Account[]): string | undefined {
  if (accounts.length === 0) return undefined;
  const choices = accounts.map(({ id, handle }) => `${id} (${handle})`).join(', ');
  return accounts.length === 1
    ? `a name is no recipient: send to the id or the handle of ${name}, ${choices}`
    : `several accounts are named ${name}: ${choices}`;
}

const ETHEREUM_ADDRESS = /^0x[0-9a-f]{40}$/i;

/** The reason for which a text names no recipient. */
function defectOf(text: string): string {
  if (isId('acct', text)) return 'there is no such account';
  if (ETHEREUM_ADDRESS.test(text)) return 'this looks like an Ethereum address, and USDC is paid on Solana here';
  return 'it is neither an account_id, a handle nor a chain address';
}

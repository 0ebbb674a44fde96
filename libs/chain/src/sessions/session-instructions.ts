/** The program's instructions for sessions. Pure. */
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { categoryEntry } from '../policy/list-entries';
import type { Addresses } from '../program/addresses';
import { toBn } from '../program/idl';
import { instruction } from '../program/instruction';
import type { ChainSession, SessionOrder, SessionPayment, TopUpOrder } from './session.types';

/** The accounts of an instruction by their names in the program. */
export type Accounts = Record<string, PublicKey | undefined>;

/** The instructions that settle or end a session. */
export type SettlementName = 'settle_session' | 'close_session' | 'close_expired_session' | 'write_off_session';

export class SessionInstructions {
  constructor(
    private readonly addresses: Addresses,
    private readonly feePayer: PublicKey,
  ) {}

  /** The opening of a session with the account's nonce `seq`. */
  open(order: SessionOrder, seq: bigint): TransactionInstruction {
    const account = new PublicKey(order.address);
    const payee = new PublicKey(order.payee);
    const [session, payeeTokenAccount] = [this.addresses.session(account, seq), this.addresses.associated(payee)];
    const escrow = this.addresses.escrow(session.address);
    return this.instruction(
      'open_session',
      {
        account,
        ...this.addresses.governing(order),
        session: session.address,
        escrow: escrow.address,
        authority: new PublicKey(order.authority),
        operator: order.approvedBy ? new PublicKey(order.approvedBy) : undefined,
        payer: this.feePayer,
        token_account: new PublicKey(order.tokenAccount),
        mint: this.addresses.mint,
        payee,
        payee_token_account: payeeTokenAccount.address,
      },
      {
        args: {
          seq: toBn(seq),
          session_id: [...order.sessionId],
          provider_hash: [...order.providerHash],
          cap: toBn(order.cap),
          voucher_key: new PublicKey(order.voucherKey),
          category: order.category === null ? null : [...categoryEntry(order.category)],
          expires_in_seconds: order.expiresInSeconds,
          grace_seconds: order.graceSeconds,
          session_bump: session.bump,
          escrow_bump: escrow.bump,
          payee_bump: payeeTokenAccount.bump,
        },
      },
    );
  }

  /** A top-up of a session with the account's nonce `seq`. */
  topUp(order: TopUpOrder, seq: bigint): TransactionInstruction {
    const account = new PublicKey(order.address);
    const session = new PublicKey(order.session);
    return this.instruction(
      'top_up_session',
      {
        account,
        ...this.addresses.governing(order),
        session,
        escrow: this.addresses.escrow(session).address,
        authority: new PublicKey(order.authority),
        operator: order.approvedBy ? new PublicKey(order.approvedBy) : undefined,
        token_account: new PublicKey(order.tokenAccount),
        mint: this.addresses.mint,
      },
      { args: { seq: toBn(seq), top_up_id: [...order.topUpId], amount: toBn(order.microUsdc) } },
    );
  }

  /** The program's view of a payment inside a session, and the account's spending, whose report names the version of the policy. */
  checkPayment(payment: SessionPayment): TransactionInstruction[] {
    const { address, session, microUsdc, category } = payment;
    const payer = new PublicKey(address);
    const governing = this.addresses.governing(payment);
    const args = { amount: toBn(microUsdc), category: category === null ? null : [...categoryEntry(category)] };
    const check = this.instruction('check_payment', { account: payer, ...governing, session: new PublicKey(session) }, { args });
    const read = { account: payer, policy: governing.policy, token_account: new PublicKey(payment.tokenAccount) };
    return [check, this.instruction('spending', read)];
  }

  /** An instruction that settles or ends a session. `accounts`: those beside the ones that all of them have. */
  settlement(name: SettlementName, session: ChainSession, accounts: Accounts): TransactionInstruction {
    const account = new PublicKey(session.account);
    const all = {
      account,
      session: new PublicKey(session.address),
      escrow: new PublicKey(session.escrow),
      mint: this.addresses.mint,
      payee: new PublicKey(session.payee),
      payee_token_account: new PublicKey(session.payeeTokenAccount),
      token_account: this.addresses.tokenAccount(account),
      rent_payer: new PublicKey(session.rentPayer),
      ...accounts,
    };
    return this.instruction(name, all);
  }

  /**
   * Creates the payee's token account. Our fee payer pays the rent. Only a transaction that ends a session, or claims what it owes, has
   * it, and pays everything at once: a payee that keeps closing its token account gains one rent per session from us.
   */
  payeeAccount({ payee, payeeTokenAccount }: ChainSession): TransactionInstruction {
    return createAssociatedTokenAccountIdempotentInstruction(
      this.feePayer,
      new PublicKey(payeeTokenAccount),
      new PublicKey(payee),
      this.addresses.mint,
    );
  }

  private instruction(name: string, accounts: Accounts, args: object = {}): TransactionInstruction {
    return instruction(this.addresses.programId, name, accounts, args);
  }
}

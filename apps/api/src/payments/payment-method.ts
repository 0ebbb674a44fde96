import type { Account } from '../accounts';
import type { Caller } from '../http/caller';
import type { Session } from '../sessions';
import type { Payment, PaymentMethodName } from './payment.entity';
import type { OpenSessionDto } from './payments.dto';
import type { ProviderAnswer } from './provider-client';

/** What the request says about where the money comes from. */
export interface Funding {
  caller: Caller;
  account: Account;
  /** The open session that the request names. */
  session: Session | null;
  /** The session to open where none is named. */
  openSession: OpenSessionDto | null;
}

/** A provider's 402, and what it is checked against. */
export interface Asked {
  /** The values of its WWW-Authenticate headers. */
  challenges: readonly string[];
  /** The body of the request that was sent: a challenge may be bound to it. */
  body: Buffer | null;
  /** Whether the request has an Authorization header of its own. */
  hasAuthorization: boolean;
  /** The operator's record of the provider, where there is one. */
  provider: { payee: string; categories: string[] | null } | null;
}

/** A price that may be paid. Each method adds what it needs to pay it. */
export interface Quote {
  microUsdc: bigint;
  /** The owner of the token account that is paid. */
  payee: string;
  category: string | null;
  challengeId: string;
}

/** A payment whose credential is stored. */
export interface Authorization {
  /** `unknown` from now on; final where the database had lost that it was paid before. */
  payment: Payment;
  /** Lets the next payment of the same session go on. Called once the answer is stored, or the process failed. */
  release(): void;
}

/**
 * A way to pay a provider. Everything else of a payment is the same for all: `PaymentProcess` fetches, checks, sends and records.
 * A method stores the credential before it returns from `authorize`, and finds what is left to do in the rows and on chain.
 */
export interface PaymentMethod<Q extends Quote = Quote> {
  readonly name: PaymentMethodName;
  /** The first price of a 402 that this method may pay. Reads no chain. @throws Declined */
  quote(asked: Asked, payment: Payment, funding: Funding): Q;
  /**
   * Reserves the amount, signs and stores the credential. @throws Declined; ChainUnavailable, AccountBusy, SessionNotOpen: then no
   * credential is stored.
   */
  authorize(payment: Payment, quote: Q, funding: Funding): Promise<Authorization>;
  /** Stores what the answer to the credential means; null where there was none. */
  conclude(payment: Payment, answer: ProviderAnswer | null): Promise<Payment>;
  /** The agent sends the credential itself, and may never report its outcome. */
  concludeUnseen(payment: Payment): Promise<Payment>;
  /** Continues after a crash or without an answer. `resend`: the credential is to be sent a second time. */
  resume(payment: Payment): Promise<{ payment: Payment; resend: boolean }>;
}

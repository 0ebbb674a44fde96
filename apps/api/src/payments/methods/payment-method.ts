import type { Account } from '../../accounts';
import type { Caller } from '../../http/caller';
import type { Purse } from '../../purses';
import type { Session } from '../../sessions';
import type { Payment, PaymentMethodName, PaymentProtocol, SealedAnswer } from '../payment.entity';
import type { OpenSessionDto } from '../payments.dto';
import { isServed, type ProviderAnswer } from '../provider/provider-client';
import type { PaymentLock } from './payment-lock';

/** The source of the money, as the request names it. */
export interface Funding {
  caller: Caller;
  account: Account;
  /** The open session that the request names. */
  session: Session | null;
  /** The purse that the request names, or that was chosen. */
  purse: Purse | null;
  /** The session to open if none is named. */
  openSession: OpenSessionDto | null;
}

/** x402's PaymentRequired as it came: a header of version 2, a body of version 1, or an object that the agent hands over. */
export type X402Ask = { header: string } | { body: string } | { object: unknown };

/** A provider's 402, and what it is checked against. */
export interface Asked {
  /** MPP: the values of its WWW-Authenticate headers. */
  challenges: readonly string[];
  /** x402: what it asks, unread; null if it does not speak x402. */
  x402: X402Ask | null;
  /** The body of the request that was sent: a challenge may be bound to it. */
  body: Buffer | null;
  /** Whether the request has an Authorization header of its own. */
  hasAuthorization: boolean;
  /** The operator's record of the provider, if there is one. */
  provider: {
    payee: string | null;
    categories: string[] | null;
    operatorKey?: string | null;
    walletPrograms?: boolean | null;
    updatedAt?: Date;
    isGenuine?: boolean;
  } | null;
}

/** A price that may be paid. Each method adds what it needs to pay it. */
export interface Quote {
  microUsdc: bigint;
  /** Whether the price is the most that the seller may take. */
  isMetered?: boolean;
  /** The owner of the token account that is paid. */
  payee: string;
  category: string | null;
  /** The network as the provider names it. */
  network: string;
  /** When the price expires; null if the provider does not say. */
  expiresAt: Date | null;
  /** The id of an MPP challenge. */
  challengeId: string | null;
}

/** A payment after a step, and whether its credential is to be sent now. A method may hand the payment over to another one. */
export interface Step {
  payment: Payment;
  resend: boolean;
}

/** A provider's answer, and what is stored of it. */
export type KeptAnswer = ProviderAnswer & SealedAnswer;

/** How long a provider's claim that it was paid, or is settling, is checked before the payment is left to recovery. */
export const LANDING_WAIT_MS = 10_000;

/**
 * How long the landing of a served payment is waited for. A live body without a claim that it was paid waits for nothing: its provider
 * may settle afterwards.
 */
export function landingWaitMs(answer: KeptAnswer | null, claim: string | null): number {
  if (answer === null || !isServed(answer.status)) return 0;
  return answer.live && claim === null ? 0 : LANDING_WAIT_MS;
}

/** The answer to a credential. */
export interface Answered<Q extends Quote> {
  /** Null if there was none. */
  answer: KeptAnswer | null;
  /** How often a credential of the payment was sent by this process. */
  sends: number;
  /** Null after a crash. */
  quote: Q | null;
  /** Null after a crash. */
  funding: Funding | null;
}

/**
 * A way to pay a provider. Everything else of a payment is the same for all: `PaymentProcess` fetches, checks, sends and records.
 * A method stores the credential before it returns from `authorize`, and finds what is left to do in the rows and on chain.
 */
export interface PaymentMethod<Q extends Quote = Quote> {
  readonly name: PaymentMethodName;
  readonly protocol: PaymentProtocol;
  /** Whether the provider asks for this way at all. */
  isOffered(asked: Asked): boolean;
  /** The first price of a 402 that this method may pay. Reads no chain. @throws Declined */
  quote(asked: Asked, payment: Payment, funding: Funding): Q;
  /** The price also if this method's own money does not take it. Without it, `quote` finds the price. @throws Declined */
  priceOf?(asked: Asked, payment: Payment, funding: Funding): Q;
  /**
   * Reserves the amount, signs and stores the credential. Takes `lock` if the payments of one source follow each other. Returns the payment:
   * `unknown` from now on; final if the database had lost that it was paid before. @throws Declined; ChainUnavailable, AccountBusy,
   * SessionNotOpen: then no credential is stored.
   */
  authorize(payment: Payment, quote: Q, funding: Funding, lock: PaymentLock): Promise<Payment>;
  /** Checks what `authorize` checks before it stores anything. Nothing is stored or sent. @throws what `authorize` would. */
  check(payment: Payment, quote: Q, funding: Funding): Promise<void>;
  /** Stores what the answer to the credential means. */
  conclude(payment: Payment, answered: Answered<Q>): Promise<Step>;
  /** The agent sends the credential itself, and may never report its outcome. */
  concludeUnseen(payment: Payment): Promise<Payment>;
  /** Continues after a crash or without an answer. */
  resume(payment: Payment): Promise<Step>;
}

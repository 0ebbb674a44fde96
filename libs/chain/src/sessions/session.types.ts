import type { AccountAddresses } from '../program/addresses';

/** A payment inside a session, as the program checks it. */
export interface SessionPayment extends AccountAddresses {
  /** Address of the session. */
  session: string;
  microUsdc: bigint;
  /** Null for the session's own. */
  category: string | null;
}

/** A session to be opened. Its address follows from the account and the nonce: `sessions.plan`. */
export interface SessionOrder extends AccountAddresses {
  /** 16 bytes, repeated in the event. */
  sessionId: Uint8Array;
  /** 32 bytes: SHA-256 of the provider's origin. */
  providerHash: Uint8Array;
  /** Owner of the token account that is paid. */
  payee: string;
  /** Micro-USDC. */
  cap: bigint;
  category: string | null;
  /** The key that signs vouchers. */
  voucherKey: string;
  /** From its landing on, by the chain's clock: 60 to 2,592,000. */
  expiresInSeconds: number;
  /** 0 to 86,400. */
  graceSeconds: number;
  authority: string;
  /** The operator, when it co-signs. */
  approvedBy: string | null;
}

/** A higher cap for an open session. */
export interface TopUpOrder extends AccountAddresses {
  /** Address of the session. */
  session: string;
  /** 16 bytes, repeated in the event. */
  topUpId: Uint8Array;
  microUsdc: bigint;
  authority: string;
  approvedBy: string | null;
}

/** A voucher: 50 bytes that authorize a cumulative amount to the payee, and the signature of the session's voucher key. */
export interface SignedVoucher {
  message: Uint8Array;
  signature: Uint8Array;
}

/** `owed`: the session ended while its payee could not receive, and the escrow keeps the payee's money. */
export type SessionStatus = 'open' | 'closing' | 'owed';

/** A session as the chain holds it. A closed session has no account. Money in micro-USDC. */
export interface ChainSession {
  address: string;
  escrow: string;
  /** Address of the paying account. */
  account: string;
  sessionId: Uint8Array;
  payee: string;
  payeeTokenAccount: string;
  voucherKey: string;
  category: string | null;
  rentPayer: string;
  seq: bigint;
  status: SessionStatus;
  cap: bigint;
  /** Paid to the payee. */
  settled: bigint;
  /** Cumulative amount of the highest voucher verified on chain; above `settled` only while the payee cannot receive. */
  proven: bigint;
  openedAt: Date;
  expiresAt: Date;
  graceSeconds: number;
  /** When closing becomes permissionless. */
  endsAt: Date;
}

/** The state of a session after a settlement or a closing: from its account, or from the event of its end. Money in micro-USDC. */
export interface SessionOutcome {
  /** Null if no node has the transaction any more. */
  signature: string | null;
  slot: number;
  status: SessionStatus | 'closed';
  /** Paid to the payee since the session was read. */
  paid: bigint;
  /** The payee's total, `owed` included. */
  settled: bigint;
  /** The part of the cap that went back to the account; 0 until the session has ended. Then `settled + returned` is the cap. */
  returned: bigint;
  /** Part of `settled` that the payee cannot receive yet. */
  owed: bigint;
  /** While closing: when closing becomes permissionless. */
  endsAt: Date | null;
}

/** Reads a session's account and its last event, and builds the instruction that verifies a voucher. */
import { Ed25519Program, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import type { ChainSession, SessionOutcome, SessionStatus, SignedVoucher } from './session.types';
import { categoryName } from '../policy/list-entries';
import type { LandedEvent } from '../history/history.types';
import type { EventFields } from '../program/idl-types';
import { dateOf, decodeFields, toBigint } from '../program/idl';

/** `SessionStatus` of the program. */
const STATUSES: Record<number, SessionStatus> = { 1: 'open', 2: 'closing', 3: 'owed' };
/** Bytes of a voucher's message. */
const MESSAGE_BYTES = 50;
/** Offset of the cumulative amount in it. */
const CUMULATIVE_OFFSET = 34;

/** Reads the bytes of a session's account. */
export function decodeSession(address: string, data: Buffer): ChainSession {
  const session = decodeFields('Session', data);
  const status = STATUSES[session.status];
  if (!status) throw new Error(`a session has the unknown status ${session.status}`);
  const closing = toBigint(session.closing_at);
  const expires = toBigint(session.expires_at);
  const ends = (closing > 0n && closing < expires ? closing : expires) + BigInt(session.grace_seconds);
  return {
    address,
    escrow: session.escrow.toBase58(),
    account: session.account.toBase58(),
    sessionId: Uint8Array.from(session.id),
    payee: session.payee.toBase58(),
    payeeTokenAccount: session.payee_token_account.toBase58(),
    voucherKey: session.voucher_key.toBase58(),
    category: categoryName(Uint8Array.from(session.category)) || null,
    rentPayer: session.rent_payer.toBase58(),
    seq: toBigint(session.seq),
    status,
    cap: toBigint(session.cap),
    settled: toBigint(session.settled),
    proven: toBigint(session.proven),
    openedAt: dateOf(session.opened_at),
    expiresAt: dateOf(session.expires_at),
    graceSeconds: session.grace_seconds,
    endsAt: new Date(Number(ends) * 1000),
  };
}

/** The outcome of a transaction after which the session still exists. `before` is what was settled when the session was read. */
export function standingOf(
  { status, cap, settled, proven, endsAt }: ChainSession,
  { signature, slot }: { signature: string; slot: number },
  before: bigint,
): SessionOutcome {
  const returned = status === 'owed' ? cap - proven : 0n;
  return {
    signature,
    slot,
    status,
    paid: settled - before,
    settled: proven,
    returned,
    owed: proven - settled,
    endsAt: status === 'closing' ? endsAt : null,
  };
}

/** Whether a `SessionClosed` event is the end of this session, after which its account is gone. One that owes is not. */
export const isEndOf =
  (address: string) =>
  ({ session, owed }: EventFields['SessionClosed']): boolean =>
    session.toBase58() === address && toBigint(owed) === 0n;

/** The outcome of a session that its last event reports. */
export function endOf({ signature, slot, data }: LandedEvent<'SessionClosed'>): SessionOutcome {
  return {
    signature,
    slot,
    status: 'closed',
    paid: toBigint(data.amount),
    settled: toBigint(data.settled),
    returned: toBigint(data.returned),
    owed: 0n,
    endsAt: null,
  };
}

/** A voucher's cumulative amount, in micro-USDC. */
export function cumulativeOf({ message }: SignedVoucher): bigint {
  return Buffer.from(message).readBigUInt64LE(CUMULATIVE_OFFSET);
}

/** The instruction by which the runtime verifies a voucher; it must be immediately before the instruction that uses the voucher. */
export function verifyVoucher(voucherKey: string, { message, signature }: SignedVoucher): TransactionInstruction {
  if (message.length !== MESSAGE_BYTES) throw new Error(`a voucher has ${MESSAGE_BYTES} bytes, not ${message.length}`);
  return Ed25519Program.createInstructionWithPublicKey({ publicKey: bs58.decode(voucherKey), message, signature });
}

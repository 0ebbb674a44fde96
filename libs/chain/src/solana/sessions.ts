/** A session between its bytes on chain and the service's words. */
import { Ed25519Program, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import type { ChainSession, SessionOutcome, SessionStatus, SignedVoucher } from '../chain.types';
import { categoryName } from './entries';
import { coder, dateOf, toBigint, type ProgramEvent } from './program';

/** `SessionStatus` of the program. */
const STATUSES: Record<number, SessionStatus> = { 1: 'open', 2: 'closing', 3: 'owed' };
/** Bytes of a voucher's message. */
const MESSAGE_BYTES = 50;

/** Reads the bytes of a session's account. */
export function decodeSession(address: string, data: Buffer): ChainSession {
  const session = coder.accounts.decode('Session', data);
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
    category: categoryName(session.category) || null,
    rentPayer: session.rent_payer.toBase58(),
    seq: toBigint(session.seq),
    status,
    cap: toBigint(session.cap),
    settled: toBigint(session.settled),
    proven: toBigint(session.proven),
    openedAt: dateOf(session.opened_at),
    expiresAt: dateOf(session.expires_at),
    graceSeconds: Number(session.grace_seconds),
    endsAt: new Date(Number(ends) * 1000),
  };
}

/** What the event of a settlement or a closing says; undefined where there is none of this session. */
export function outcomeIn(session: string, signature: string, slot: number, events: ProgramEvent[]): SessionOutcome | undefined {
  const event = events.find(({ name, data }) => OUTCOMES[name] && String(data.session) === session);
  const read = event && OUTCOMES[event.name];
  return event && read && { signature, slot, ...read(event.data) };
}

type Told = Omit<SessionOutcome, 'signature' | 'slot'>;

const OUTCOMES: Record<string, (data: ProgramEvent['data']) => Told> = {
  SessionSettled: ({ amount, settled, proven, cap, status: number }) => {
    const status = STATUSES[Number(number)] ?? 'open';
    const returned = status === 'owed' ? toBigint(cap) - toBigint(proven) : 0n;
    return { status, paid: toBigint(amount), settled: toBigint(proven), returned, owed: toBigint(proven) - toBigint(settled), endsAt: null };
  },
  SessionClosing: ({ amount, settled, proven, ends_at: endsAt }) => {
    const owed = toBigint(proven) - toBigint(settled);
    return { status: 'closing', paid: toBigint(amount), settled: toBigint(proven), returned: 0n, owed, endsAt: dateOf(endsAt) };
  },
  SessionClosed: ({ amount, settled, returned, owed }) => {
    const status = toBigint(owed) > 0n ? 'owed' : 'closed';
    return { status, paid: toBigint(amount), settled: toBigint(settled), returned: toBigint(returned), owed: toBigint(owed), endsAt: null };
  },
};

/** Micro-USDC that a voucher promises in all: a u64 in little-endian behind its kind and the session's address. */
export function cumulativeOf({ message }: SignedVoucher): bigint {
  return Buffer.from(message).readBigUInt64LE(34);
}

/** The instruction by which the runtime verifies a voucher; it must stand immediately before the one that shows it. */
export function verifyVoucher(voucherKey: string, { message, signature }: SignedVoucher): TransactionInstruction {
  if (message.length !== MESSAGE_BYTES) throw new Error(`a voucher has ${MESSAGE_BYTES} bytes, not ${message.length}`);
  return Ed25519Program.createInstructionWithPublicKey({ publicKey: bs58.decode(voucherKey), message, signature });
}

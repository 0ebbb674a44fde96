/**
 * Orders and escrow movements, by the instructions of a landed transaction. Not by events: nodes truncate logs after 10 KB, so that a
 * thief of an authority key could hide in them which order used a nonce. Pure.
 */
import { PublicKey } from '@solana/web3.js';
import type { Addresses } from '../program/addresses';
import { toBigint } from '../program/idl';
import { readInstruction, type OrderInstruction } from '../program/instruction';
import { categoryName } from '../policy/list-entries';
import type { LandedInstruction, LandedTransaction } from './landed-transaction';
import type { LandedOrder, SessionOpening } from './history.types';

/** The orders of a transaction, of any account; none if it failed: then no instruction of it took effect. */
export function landedOrders(signature: string, transaction: LandedTransaction, addresses: Addresses): LandedOrder[] {
  if (transaction.error) return [];
  return programInstructions(transaction, addresses).flatMap(
    (instruction) => orderOf(signature, transaction, readInstruction(instruction), addresses) ?? [],
  );
}

/** The sessions that a transaction names, by the addresses of their escrows, with the account that opened each. */
export function namedSessions(transaction: LandedTransaction, addresses: Addresses): Map<string, { address: string; account: string }> {
  const read = programInstructions(transaction, addresses).map((instruction) => readInstruction(instruction)?.accounts);
  return new Map(
    read.flatMap((accounts): [string, { address: string; account: string }][] => {
      const { session, escrow, account } = accounts ?? {};
      return session && escrow && account ? [[escrow, { address: session, account }]] : [];
    }),
  );
}

/** Micro-USDC that an order moved to this token account; negative if it went into escrow, or to the key of a channel purse. */
export function escrowMovement({ kind, account, microUsdc }: LandedOrder, tokenAccount: string, addresses: Addresses): bigint {
  const isIntoEscrow = kind === 'session' || kind === 'top_up' || kind === 'channel_purse';
  return isIntoEscrow && addresses.tokenAccount(new PublicKey(account)).toBase58() === tokenAccount ? -microUsdc : 0n;
}

function programInstructions({ instructions }: LandedTransaction, { programId }: Addresses): LandedInstruction[] {
  const address = programId.toBase58();
  return instructions.filter(({ program }) => program === address);
}

function orderOf(
  signature: string,
  { slot, blockTime }: LandedTransaction,
  instruction: OrderInstruction | null,
  addresses: Addresses,
): LandedOrder | null {
  const landedAt = blockTime === null ? null : new Date(blockTime * 1000);
  const common = (seq: unknown) => ({
    signature,
    slot,
    account: instruction?.accounts.account ?? '',
    seq: toBigint(seq),
    session: null,
    destination: null,
    delegate: null,
    category: null,
    memoHash: null,
    opening: null,
    deadline: null,
    landedAt,
  });
  switch (instruction?.name) {
    case 'transfer': {
      const { seq, transfer_id: id, amount, category, memo_hash: memoHash } = instruction.args;
      return {
        ...common(seq),
        kind: 'transfer',
        id: Buffer.from(id),
        microUsdc: toBigint(amount),
        destination: instruction.accounts.destination ?? null,
        category: nameOf(category),
        memoHash: memoHash && Buffer.from(memoHash),
      };
    }
    case 'open_session': {
      const { seq, session_id: id, cap, category } = instruction.args;
      const { session = null } = instruction.accounts;
      return {
        ...common(seq),
        kind: 'session',
        id: Buffer.from(isAtOurAddress(instruction, addresses) ? id : []),
        microUsdc: toBigint(cap),
        session,
        category: nameOf(category),
        opening: landedAt && openingOf(instruction, landedAt),
      };
    }
    case 'top_up_session': {
      const { seq, top_up_id: id, amount } = instruction.args;
      const { session = null } = instruction.accounts;
      return { ...common(seq), kind: 'top_up', id: Buffer.from(id), microUsdc: toBigint(amount), session };
    }
    case 'approve_charge': {
      const { seq, charge_id: id, amount, category, expires_in_seconds: seconds, purse } = instruction.args;
      return {
        ...common(seq),
        kind: purse ? 'purse' : 'charge',
        id: Buffer.from(id),
        microUsdc: toBigint(amount),
        delegate: instruction.accounts.delegate ?? null,
        category: nameOf(category),
        deadline: landedAt && after(landedAt, seconds),
      };
    }
    case 'fund_channel': {
      const { seq, purse_id: id, amount, category, expires_in_seconds: seconds } = instruction.args;
      const { account, purse, key = null } = instruction.accounts;
      const ours = account && addresses.channelPurse(new PublicKey(account), toBigint(seq)).address.toBase58();
      return {
        ...common(seq),
        kind: 'channel_purse',
        id: Buffer.from(purse === ours ? id : []),
        microUsdc: toBigint(amount),
        delegate: key,
        category: nameOf(category),
        deadline: landedAt && after(landedAt, seconds),
      };
    }
    default:
      return null;
  }
}

type Opening = Extract<OrderInstruction, { name: 'open_session' }>;

/**
 * The program accepts a session at the address of any bump; the service opens it at the canonical one. A session elsewhere was opened
 * by another signer and is not the service's order, whatever id it names.
 */
function isAtOurAddress({ accounts: { account, session }, args }: Opening, addresses: Addresses): boolean {
  return account !== undefined && addresses.session(new PublicKey(account), toBigint(args.seq)).address.toBase58() === session;
}

/** The program takes its times from the clock of the block. */
function openingOf({ accounts, args }: Opening, openedAt: Date): SessionOpening {
  return {
    payee: accounts.payee ?? '',
    voucherKey: args.voucher_key.toBase58(),
    providerHash: Buffer.from(args.provider_hash),
    openedAt,
    expiresAt: after(openedAt, args.expires_in_seconds),
    graceSeconds: args.grace_seconds,
  };
}

function after(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000);
}

const nameOf = (category: number[] | null): string | null => category && (categoryName(Uint8Array.from(category)) || null);

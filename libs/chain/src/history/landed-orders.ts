/** Orders, transfers and escrow movements, by the program's events. Pure. */
import type { PublicKey } from '@solana/web3.js';
import type { Addresses } from '../program/addresses';
import type { ProgramEvent } from '../program/events';
import type { EventFields } from '../program/idl-types';
import { toBigint } from '../program/idl';
import { categoryName } from '../policy/list-entries';
import type { LandedOrder, LandedTransfer } from './history.types';

interface Landing {
  signature: string;
  slot: number;
}

/** The order that an event reports; null for an event that used no nonce. */
export function landedOrder(event: ProgramEvent, { signature, slot }: Landing, addresses: Addresses): LandedOrder | null {
  const none = { session: null, destination: null, delegate: null, category: null };
  const common = ({ account, seq }: { account: PublicKey; seq: unknown }) => ({
    ...none,
    signature,
    slot,
    account: account.toBase58(),
    seq: toBigint(seq),
  });
  switch (event.name) {
    case 'Transferred': {
      const { transfer_id: id, amount, destination, category } = event.data;
      return {
        ...common(event.data),
        kind: 'transfer',
        id: Buffer.from(id),
        microUsdc: toBigint(amount),
        destination: destination.toBase58(),
        category: nameOf(category),
      };
    }
    case 'SessionOpened': {
      const { session_id: id, cap, session, category } = event.data;
      return {
        ...common(event.data),
        kind: 'session',
        id: Buffer.from(isAtOurAddress(event.data, addresses) ? id : []),
        microUsdc: toBigint(cap),
        session: session.toBase58(),
        category: nameOf(category),
      };
    }
    case 'SessionToppedUp': {
      const { top_up_id: id, amount, session } = event.data;
      return { ...common(event.data), kind: 'top_up', id: Buffer.from(id), microUsdc: toBigint(amount), session: session.toBase58() };
    }
    case 'ChargeApproved': {
      const { charge_id: id, amount, delegate, category } = event.data;
      return {
        ...common(event.data),
        kind: 'charge',
        id: Buffer.from(id),
        microUsdc: toBigint(amount),
        delegate: delegate.toBase58(),
        category: nameOf(category),
      };
    }
    default:
      return null;
  }
}

/**
 * The program accepts a session at the address of any bump; the service opens it at the canonical one. A session elsewhere was opened
 * by another signer and is not the service's order, whatever id it names.
 */
function isAtOurAddress({ account, seq, session }: EventFields['SessionOpened'], addresses: Addresses): boolean {
  return addresses.session(account, toBigint(seq)).address.equals(session);
}

/** The transfer that an event reports; null for another event. */
export function landedTransfer(event: ProgramEvent, { signature, slot }: Landing): LandedTransfer | null {
  if (event.name !== 'Transferred') return null;
  const { account, seq, transfer_id: id, amount, destination } = event.data;
  return {
    signature,
    slot,
    account: account.toBase58(),
    seq: toBigint(seq),
    transferId: Buffer.from(id),
    microUsdc: toBigint(amount),
    destination: destination.toBase58(),
  };
}

/** Micro-USDC that an event moved from escrow to this token account; negative where it went into escrow. */
export function escrowMovement(event: ProgramEvent, tokenAccount: string, addresses: Addresses): bigint {
  const isOf = ({ account }: { account: PublicKey }) => addresses.tokenAccount(account).toBase58() === tokenAccount;
  const { name, data } = event;
  switch (name) {
    case 'SessionOpened':
      return isOf(data) ? -toBigint(data.cap) : 0n;
    case 'SessionToppedUp':
      return isOf(data) ? -toBigint(data.amount) : 0n;
    case 'SessionClosed':
      return isOf(data) ? toBigint(data.refunded) : 0n;
    default:
      return 0n;
  }
}

const nameOf = (category: number[]): string | null => categoryName(Uint8Array.from(category)) || null;

/** The program's instructions on channel purses, and the purse's account. Pure. */
import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createSetAuthorityInstruction,
} from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { categoryEntry } from '../policy/list-entries';
import type { Addresses } from '../program/addresses';
import { dateOf, decodeFields, toBigint, toBn } from '../program/idl';
import { instruction } from '../program/instruction';
import type { ChannelPurseOrder, ChannelPurseState } from './channel.types';

const U64_MAX = 2n ** 64n - 1n;

/** Names in an instruction on a purse. Addresses are base58. */
export interface PurseAddresses {
  account: string;
  /** The fleet of a member. */
  fleet?: PublicKey;
  seq: bigint;
  key: string;
}

/**
 * Creates the key's token account, makes the purse its delegate and close authority, and funds it. `payer` pays the rent; the key, the
 * authority and, if it approves, the operator sign too.
 */
export function fundChannel(addresses: Addresses, order: ChannelPurseOrder, seq: bigint, payer: PublicKey): TransactionInstruction[] {
  const [account, key] = [new PublicKey(order.address), new PublicKey(order.key)];
  const purse = addresses.channelPurse(account, seq);
  const held = addresses.associated(key);
  const accounts = {
    account,
    ...addresses.governing(order),
    authority: new PublicKey(order.authority),
    operator: order.approvedBy ? new PublicKey(order.approvedBy) : undefined,
    token_account: new PublicKey(order.tokenAccount),
    mint: addresses.mint,
    purse: purse.address,
    key,
    key_token_account: held.address,
    payer,
  };
  const args = {
    seq: toBn(seq),
    purse_id: [...order.purseId],
    amount: toBn(order.microUsdc),
    category: order.category === null ? null : [...categoryEntry(order.category)],
    expires_in_seconds: order.expiresInSeconds,
    purse_bump: purse.bump,
    key_bump: held.bump,
  };
  return [
    createAssociatedTokenAccountIdempotentInstruction(payer, held.address, key, addresses.mint),
    createApproveInstruction(held.address, purse.address, key, U64_MAX),
    createSetAuthorityInstruction(held.address, key, AuthorityType.CloseAccount, purse.address),
    instruction(addresses.programId, 'fund_channel', accounts, { args }),
  ];
}

/** `sweep_channel`, `finish_channel` or, with `rentPayer`, `close_channel`. The closer signs. */
export function onChannelPurse(
  addresses: Addresses,
  name: 'sweep_channel' | 'finish_channel' | 'close_channel',
  purse: PurseAddresses,
  closer: PublicKey,
  rentPayer?: PublicKey,
): TransactionInstruction {
  const account = new PublicKey(purse.account);
  const accounts = {
    account,
    purse: addresses.channelPurse(account, purse.seq).address,
    key_token_account: addresses.tokenAccount(new PublicKey(purse.key)),
    token_account: addresses.tokenAccount(account),
    mint: addresses.mint,
    closer,
    fleet: purse.fleet,
    rent_payer: rentPayer,
  };
  return instruction(addresses.programId, name, accounts, {});
}

/** Reads a purse's account. */
export function decodeChannelPurse(address: string, data: Buffer): ChannelPurseState {
  const purse = decodeFields('ChannelPurse', data);
  return {
    address,
    purseId: Uint8Array.from(purse.id),
    seq: toBigint(purse.seq),
    key: purse.key.toBase58(),
    keyTokenAccount: purse.key_token_account.toBase58(),
    microUsdc: toBigint(purse.amount),
    swept: toBigint(purse.swept),
    isFinished: purse.finished !== 0,
    deadline: dateOf(purse.deadline),
    rentPayer: purse.rent_payer.toBase58(),
  };
}

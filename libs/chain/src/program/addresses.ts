/** Program-derived addresses of the program, and associated token accounts of its mint. */
import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';

/** Places of an account on chain. Addresses are base58. */
export interface AccountAddresses {
  /** The program-derived address: the account's `chain_address`. */
  address: string;
  /** Its associated token account for the service's mint. */
  tokenAccount: string;
  /** The fleet that it is a member of; absent outside of a fleet. */
  fleet?: string;
  /** Whether it has a policy of its own; absent if it has one. Only a member may have none. */
  hasOwnPolicy?: boolean;
}

const seed = (text: string): Buffer => Buffer.from(text, 'utf8');

/** `value` as eight bytes, little-endian. */
export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Cached addresses of policies: deriving one takes as long as five signatures. */
const MAX_KNOWN_POLICIES = 10_000;

/** A program-derived address and its bump. */
export interface Found {
  address: PublicKey;
  bump: number;
}

/** Derives the addresses of one program and one mint. */
export class Addresses {
  private readonly policies = new Map<string, PublicKey>();

  constructor(
    readonly programId: PublicKey,
    readonly mint: PublicKey,
  ) {}

  account(creator: PublicKey, id: Uint8Array): AccountAddresses {
    const { address } = this.accountWithBump(creator, id);
    return { address: address.toBase58(), tokenAccount: this.tokenAccount(address).toBase58() };
  }

  /** `owner`: an account or a fleet. */
  policy(owner: PublicKey): PublicKey {
    const name = owner.toBase58();
    const known = this.policies.get(name) ?? this.find([seed('policy'), owner.toBytes()]);
    if (this.policies.size >= MAX_KNOWN_POLICIES) this.policies.clear();
    this.policies.set(name, known);
    return known;
  }

  /** The address of an account, with its bump. */
  accountWithBump(creator: PublicKey, id: Uint8Array): Found {
    return this.search([seed('account'), creator.toBytes(), id]);
  }

  /** The fleet with this 16-byte id. */
  fleet(creator: PublicKey, id: Uint8Array): PublicKey {
    return this.find([seed('fleet'), creator.toBytes(), id]);
  }

  /** The accounts that judge a spending, by the names of the program's interface: the own policy, the fleet and its policy. */
  governing({ address, fleet, hasOwnPolicy = true }: Omit<AccountAddresses, 'tokenAccount'>): Record<string, PublicKey | undefined> {
    const fleetKey = fleet === undefined ? undefined : new PublicKey(fleet);
    return {
      policy: hasOwnPolicy ? this.policy(new PublicKey(address)) : undefined,
      fleet: fleetKey,
      fleet_policy: fleetKey && this.policy(fleetKey),
    };
  }

  /** `owner`: an account or a fleet. */
  draft(owner: PublicKey, targetVersion: bigint, contentHash: Uint8Array): PublicKey {
    return this.find([seed('draft'), owner.toBytes(), u64(targetVersion), contentHash]);
  }

  /** The session that an account's nonce `seq` opens. */
  session(account: PublicKey, seq: bigint): Found {
    return this.search([seed('session'), account.toBytes(), u64(seq)]);
  }

  /** The channel purse that an account's nonce `seq` funds. */
  channelPurse(account: PublicKey, seq: bigint): Found {
    return this.search([seed('channel_purse'), account.toBytes(), u64(seq)]);
  }

  /** The token account that holds a session's money. */
  escrow(session: PublicKey): Found {
    return this.search([seed('escrow'), session.toBytes()]);
  }

  /** The associated token account of an owner, which may be a program-derived address. */
  tokenAccount(owner: PublicKey): PublicKey {
    return this.associated(owner).address;
  }

  /** The associated token account of an owner, with its bump. */
  associated(owner: PublicKey): Found {
    return this.search([owner.toBytes(), TOKEN_PROGRAM_ID.toBytes(), this.mint.toBytes()], ASSOCIATED_TOKEN_PROGRAM_ID);
  }

  private find(seeds: Uint8Array[]): PublicKey {
    return this.search(seeds).address;
  }

  private search(seeds: Uint8Array[], programId = this.programId): Found {
    const [address, bump] = PublicKey.findProgramAddressSync(seeds, programId);
    return { address, bump };
  }
}

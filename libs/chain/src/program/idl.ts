/** The program's interface: names, codes, layouts and addresses, all from its IDL. */
import { BorshCoder, BN, type Idl } from '@coral-xyz/anchor';
import { ASSOCIATED_TOKEN_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram, TransactionInstruction, type AccountMeta } from '@solana/web3.js';
import rawIdl from '../../program/agent_policy.json';
import type { AccountAddresses } from '../chain.types';

const idl = rawIdl as Idl;

/** Encodes and decodes by the IDL's own names, in snake_case. */
export const coder = new BorshCoder(idl);

/** The id that the committed program was built with. */
export const PROGRAM_ID = new PublicKey(rawIdl.address);

/** Micro-USDC have six decimals, whatever the cluster. */
export const USDC_DECIMALS = 6;
/** The classic Token program, to which USDC belongs. */
export const TOKEN_PROGRAM = TOKEN_PROGRAM_ID.toBase58();

/** "No limit" for an amount: `u64::MAX`. */
export const NO_LIMIT = 2n ** 64n - 1n;

/** Numbers that the replay window remembers; `REPLAY_WINDOW` of the program. */
export const REPLAY_WINDOW = 1024n;

/** Seconds of a bucket and buckets of the spend window; `BUCKET_SECONDS` and `BUCKETS` of the program. */
export const BUCKET_SECONDS = 900n;
export const BUCKETS = 97n;

const ERROR_NAMES = new Map(rawIdl.errors.map(({ code, name }) => [code, name]));
const ERROR_MESSAGES = new Map(rawIdl.errors.map(({ code, msg }) => [code, msg]));

/** The program's name of an error code, in snake_case; Anchor's own codes are below 6000. */
export function errorName(code: number): string {
  const name = ERROR_NAMES.get(code);
  return name ? name.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase() : `error_${code}`;
}

/** The program's sentence of an error code. */
export function errorMessage(code: number): string {
  return ERROR_MESSAGES.get(code) ?? `program error ${code}`;
}

export const toBn = (value: bigint): BN => new BN(value.toString());

/** A u64 or i64 of a decoded account, event or return value. */
export function toBigint(value: unknown): bigint {
  if (!BN.isBN(value)) throw new Error('the program’s data holds no 64-bit number where one was expected');
  return BigInt(String(value));
}

/** Unix seconds of the program as a date. */
export const dateOf = (seconds: unknown): Date => new Date(Number(toBigint(seconds)) * 1000);

const seed = (text: string): Buffer => Buffer.from(text, 'utf8');

/** `value` as eight bytes, little-endian. */
export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Policies' addresses kept: deriving one takes as long as five signatures. */
const MAX_KNOWN_POLICIES = 10_000;

/** A program-derived address that was searched. */
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
    const address = this.find([seed('account'), creator.toBytes(), id]);
    return { address: address.toBase58(), tokenAccount: this.tokenAccount(address).toBase58() };
  }

  policy(account: PublicKey): PublicKey {
    const name = account.toBase58();
    const known = this.policies.get(name) ?? this.find([seed('policy'), account.toBytes()]);
    if (this.policies.size >= MAX_KNOWN_POLICIES) this.policies.clear();
    this.policies.set(name, known);
    return known;
  }

  draft(account: PublicKey, targetVersion: bigint, contentHash: Uint8Array): PublicKey {
    return this.find([seed('draft'), account.toBytes(), u64(targetVersion), contentHash]);
  }

  /** The session that number `seq` of an account opens, with the bump of its address. */
  session(account: PublicKey, seq: bigint): Found {
    return this.search([seed('session'), account.toBytes(), u64(seq)]);
  }

  /** The token account that holds a session's money, with the bump of its address. */
  escrow(session: PublicKey): Found {
    return this.search([seed('escrow'), session.toBytes()]);
  }

  /** The associated token account of an owner, which may be a program-derived address. */
  tokenAccount(owner: PublicKey): PublicKey {
    return this.associated(owner).address;
  }

  /** The same, with the bump of its address. */
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

const WELL_KNOWN: Record<string, (programId: PublicKey) => PublicKey> = {
  system_program: () => SystemProgram.programId,
  token_program: () => TOKEN_PROGRAM_ID,
  associated_token_program: () => ASSOCIATED_TOKEN_PROGRAM_ID,
  program: (programId) => programId,
  event_authority: eventAuthority,
};

/** The address that signs for the events of a program; Anchor's own seed. */
function eventAuthority(programId: PublicKey): PublicKey {
  return PublicKey.findProgramAddressSync([seed('__event_authority')], programId)[0];
}

interface IdlAccountMeta {
  name: string;
  writable?: boolean;
  signer?: boolean;
  optional?: boolean;
}

/** Accounts that several instructions take alike stand in groups, which a transaction does not know. */
function flat(accounts: Idl['instructions'][number]['accounts']): IdlAccountMeta[] {
  return accounts.flatMap((one) => ('accounts' in one ? flat(one.accounts) : [one]));
}

/** One instruction of the program; accounts by their IDL names, an optional one left out is passed as the program's id. */
export function instruction(
  programId: PublicKey,
  name: string,
  accounts: Record<string, PublicKey | undefined>,
  args: object,
): TransactionInstruction {
  const definition = idl.instructions.find((one) => one.name === name);
  if (!definition) throw new Error(`the program has no instruction ${name}`);
  const keys = flat(definition.accounts).map((meta): AccountMeta => {
    const pubkey = accounts[meta.name] ?? WELL_KNOWN[meta.name]?.(programId);
    if (pubkey) return { pubkey, isSigner: meta.signer ?? false, isWritable: meta.writable ?? false };
    if (!meta.optional) throw new Error(`${name} needs the account ${meta.name}`);
    return { pubkey: programId, isSigner: false, isWritable: false };
  });
  return new TransactionInstruction({ programId, keys, data: coder.instruction.encode(name, args) });
}

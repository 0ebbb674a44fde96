/** Builders: a channel purse of a test account, its instructions, a payment channel out of it, and readers of their state. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAssociatedTokenAccountIdempotentInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import type { ChannelPurseOrder, ChannelState, ChannelTerms } from '../../../../libs/chain/src/channels/channel.types';
import {
  PAYMENT_CHANNELS,
  TREASURY,
  channelAddress,
  decodeChannel,
  openChannel,
} from '../../../../libs/chain/src/channels/payment-channels';
import { fundChannel, onChannelPurse } from '../../../../libs/chain/src/channels/purse-instructions';
import { Addresses } from '../../../../libs/chain/src/program/addresses';
import { PROGRAM_ID, coder } from '../../../../libs/chain/src/program/idl';
import { accountNames } from '../../../../libs/chain/src/program/instruction';
import type { TestAccount } from './account';
import { idOf, type Accounts } from './account-instructions';
import type { Key, TestChain } from './chain';
import { plain } from './outcome';

const PROGRAM = join(__dirname, '..', '..', '..', '..', 'libs', 'chain', 'payment-channels', 'payment_channels.so');
/** Bytes of a `ChannelPurse`. */
export const CHANNEL_PURSE_SPACE = 256;
export const HOUR = 3_600;
/** A slot that LiteSVM's clock has reached. */
const OPEN_SLOT = 0n;

/** Deploys payment-channels, and creates its treasury's token account. */
export function withPaymentChannels(chain: TestChain): TestChain {
  chain.addProgram(PAYMENT_CHANNELS, readFileSync(PROGRAM));
  tokenAccountOf(chain, TREASURY);
  return chain;
}

/** Creates the associated token account of an owner and returns its address. */
export function tokenAccountOf(chain: TestChain, owner: PublicKey): PublicKey {
  const address = getAssociatedTokenAddressSync(chain.mint, owner, true);
  chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, address, owner, chain.mint));
  return address;
}

export class TestChannelPurse {
  readonly chain: TestChain;
  readonly address: PublicKey;
  readonly key: Key;
  readonly tokenAccount: PublicKey;
  private readonly addresses: Addresses;

  constructor(
    readonly account: TestAccount,
    readonly seq = account.seq + 1n,
    key?: Key,
  ) {
    this.chain = account.chain;
    this.key = key ?? this.chain.aKey(0n);
    this.addresses = new Addresses(PROGRAM_ID, account.mint);
    this.address = this.addresses.channelPurse(account.address, seq).address;
    this.tokenAccount = this.addresses.tokenAccount(this.key.publicKey);
  }

  /** The four instructions that fund it; `accounts` replaces those of the last one. */
  fund(
    { approved = false, ...order }: Partial<ChannelPurseOrder> & { approved?: boolean } = {},
    accounts: Accounts = {},
    payer = this.chain.feePayer.publicKey,
  ): TransactionInstruction[] {
    const { account, key, seq } = this;
    const all = fundChannel(
      this.addresses,
      {
        address: account.address.toBase58(),
        tokenAccount: account.tokenAccount.toBase58(),
        fleet: account.fleet?.address.toBase58(),
        hasOwnPolicy: account.hasOwnPolicy,
        purseId: idOf(seq),
        microUsdc: 100n,
        category: null,
        key: key.publicKey.toBase58(),
        expiresInSeconds: HOUR,
        authority: account.authority.publicKey.toBase58(),
        approvedBy: approved ? account.operator.publicKey.toBase58() : null,
        ...order,
      },
      seq,
      payer,
    );
    return all.map((one) => (one.programId.equals(PROGRAM_ID) ? replaced(one, 'fund_channel', accounts) : one));
  }

  sweep(accounts: Accounts = {}): TransactionInstruction {
    return this.on('sweep_channel', accounts);
  }

  finish(accounts: Accounts = {}): TransactionInstruction {
    return this.on('finish_channel', accounts);
  }

  close(accounts: Accounts = {}): TransactionInstruction {
    return this.on('close_channel', accounts);
  }

  private on(name: Parameters<typeof onChannelPurse>[1], accounts: Accounts): TransactionInstruction {
    const { account, seq, key, chain } = this;
    const purse = { account: account.address.toBase58(), fleet: account.fleet?.address, seq, key: key.publicKey.toBase58() };
    const built = onChannelPurse(this.addresses, name, purse, accounts.closer ?? account.authority.publicKey, chain.feePayer.publicKey);
    return replaced(built, name, accounts);
  }

  read(): Record<string, unknown> {
    return plain(coder.accounts.decode('ChannelPurse', this.chain.account(this.address).data)) as Record<string, unknown>;
  }

  balance(): bigint {
    return this.chain.balance(this.tokenAccount);
  }
}

/** A purse of 100 micro-USDC that was funded. */
export function aChannelPurse(account: TestAccount, order: Parameters<TestChannelPurse['fund']>[0] = {}): TestChannelPurse {
  const purse = new TestChannelPurse(account);
  account.chain.run(...purse.fund(order));
  account.seq = purse.seq;
  return purse;
}

/** A channel that a seller's transaction opened out of a purse: the seller's operator is payee and rent payer, as in x402. */
export class TestChannel {
  readonly payTo: PublicKey;
  readonly terms: ChannelTerms;

  constructor(
    private readonly purse: TestChannelPurse,
    readonly operator: Key,
    deposit: bigint,
  ) {
    const { chain, key } = purse;
    this.payTo = chain.aKey(0n).publicKey;
    this.terms = {
      payer: key.publicKey.toBase58(),
      rentPayer: operator.publicKey.toBase58(),
      payee: operator.publicKey.toBase58(),
      mint: chain.mint.toBase58(),
      authorizedSigner: operator.publicKey.toBase58(),
      salt: randomBytes(8).readBigUInt64LE(),
      openSlot: OPEN_SLOT,
      deposit,
      graceSeconds: 900,
      recipients: [{ owner: this.payTo.toBase58(), shareBps: 10_000 }],
    };
    for (const owner of [operator.publicKey, this.payTo]) tokenAccountOf(chain, owner);
    chain.run(openChannel(this.terms));
  }

  state(): ChannelState | null {
    const { owner, data } = this.purse.chain.account(new PublicKey(channelAddress(this.terms)));
    return decodeChannel(owner, data);
  }
}

/** The instruction with the named accounts replaced; an optional one that is undefined here stays as it is. */
function replaced(built: TransactionInstruction, name: string, accounts: Accounts): TransactionInstruction {
  const names = accountNames(name);
  for (const [account, pubkey] of Object.entries(accounts)) {
    const meta = built.keys[names.indexOf(account)];
    if (!meta || !pubkey) throw new Error(`${name} has no account ${account}`);
    meta.pubkey = pubkey;
  }
  return built;
}

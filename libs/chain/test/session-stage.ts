import { randomBytes } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import { LocalSigner, type AccountAddresses, type Chain, type ChainOptions, type SessionOrder, type SignedVoucher } from '../src';
import { Addresses, u64 } from '../src/program/addresses';
import { toBn } from '../src/program/idl';
import { instruction } from '../src/program/instruction';
import { startLocalChain, type LocalChain } from './local-chain';
import { LyingRpc } from './lying-rpc';
import { aProvider, aVoucher, anAccount, authority, type Provider } from './payer';

const NO_SOCKET = 'ws://127.0.0.1:9';

export const voucherKey = LocalSigner.generate().signer;

/** A voucher of the sessions here, for a cumulative amount. */
export function voucherOf(session: string, microUsdc: bigint): Promise<SignedVoucher> {
  return aVoucher(session, microUsdc, voucherKey);
}

export class SessionStage {
  constructor(
    readonly local: LocalChain,
    readonly provider: Provider,
  ) {}

  get chain(): Chain {
    return this.local.chain;
  }

  /** The addresses of the program's accounts. */
  get addresses(): Addresses {
    const { programId, usdcMint } = this.chain.identity;
    return new Addresses(new PublicKey(programId), new PublicKey(usdcMint));
  }

  anOrder(account: AccountAddresses, more: Partial<SessionOrder> = {}): SessionOrder {
    return {
      ...account,
      sessionId: randomBytes(16),
      providerHash: randomBytes(32),
      payee: this.provider.address,
      cap: 100n,
      category: null,
      voucherKey: voucherKey.address,
      expiresInSeconds: 600,
      graceSeconds: 0,
      authority: authority.address,
      approvedBy: null,
      ...more,
    };
  }

  /** A session of a new account with 1,000 micro-USDC. */
  async anOpenSession(
    more: Partial<SessionOrder> = {},
  ): Promise<{ account: AccountAddresses; order: SessionOrder; session: string; opening: string }> {
    const account = await anAccount(this.chain, 1_000n);
    const order = this.anOrder(account, more);
    const signed = await this.chain.sessions.signOpen(order, 1n, [authority]);
    expect(await this.chain.orders.settle(signed, 10_000)).toMatchObject({ kind: 'landed' });
    return { account, order, session: this.chain.sessions.plan(account.address, 1n).address, opening: signed.signature };
  }

  /** The instruction that any key may send once a session has expired. */
  async permissionlessClose(address: string) {
    const session = await this.chain.sessions.session(address);
    if (!session) throw new Error('there is no such session');
    const [account, { programId, mint }] = [new PublicKey(session.account), this.addresses];
    const accounts = {
      account,
      session: new PublicKey(address),
      escrow: new PublicKey(session.escrow),
      mint,
      payee: new PublicKey(session.payee),
      payee_token_account: new PublicKey(session.payeeTokenAccount),
      token_account: this.addresses.tokenAccount(account),
      rent_payer: new PublicKey(session.rentPayer),
    };
    return instruction(programId, 'close_expired_session', accounts, {});
  }

  /** Another client, whose node lies as a test says, and which has no subscriptions. */
  async throughLyingNode(options: Partial<ChainOptions> = {}): Promise<{ node: LyingRpc; other: Chain }> {
    const node = await LyingRpc.start(this.local.rpcUrl);
    const other = await this.local.connect({ rpcUrls: [node.url], webSocketUrls: [NO_SOCKET], ...options });
    return { node, other };
  }

  /** The opening that a thief of the authority key may send: our order with another bump, at the thief's own rent. */
  openingAtAnotherBump(order: SessionOrder, seq: bigint) {
    const [account, payee] = [new PublicKey(order.address), new PublicKey(order.payee)];
    const { programId, mint } = this.addresses;
    const seeds = [Buffer.from('session'), account.toBytes(), u64(seq)];
    const bumps = Array.from({ length: this.addresses.session(account, seq).bump }, (_, bump) => bump).reverse();
    const found = bumps.flatMap((bump) => {
      try {
        return [{ bump, address: PublicKey.createProgramAddressSync([...seeds, Uint8Array.of(bump)], programId) }];
      } catch {
        return [];
      }
    })[0];
    if (!found) throw new Error('no other bump gives an address');
    const [escrow, paid] = [this.addresses.escrow(found.address), this.addresses.associated(payee)];
    const accounts = {
      account,
      policy: this.addresses.policy(account),
      session: found.address,
      escrow: escrow.address,
      authority: new PublicKey(order.authority),
      payer: this.provider.wallet.publicKey,
      token_account: new PublicKey(order.tokenAccount),
      mint,
      payee,
      payee_token_account: paid.address,
    };
    const args = {
      seq: toBn(seq),
      session_id: [...order.sessionId],
      provider_hash: [...order.providerHash],
      cap: toBn(order.cap),
      voucher_key: new PublicKey(order.voucherKey),
      category: null,
      expires_in_seconds: order.expiresInSeconds,
      grace_seconds: order.graceSeconds,
    };
    return instruction(programId, 'open_session', accounts, {
      args: { ...args, session_bump: found.bump, escrow_bump: escrow.bump, payee_bump: paid.bump },
    });
  }
}

/** @see SessionStage */
export async function startSessionStage(): Promise<SessionStage> {
  const local = await startLocalChain();
  return new SessionStage(local, await aProvider(local));
}

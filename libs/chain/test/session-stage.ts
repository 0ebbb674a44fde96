import { randomBytes } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import { LocalSigner, type AccountAddresses, type Chain, type SessionOrder } from '../src';
import { Addresses } from '../src/program/addresses';
import { instruction } from '../src/program/instruction';
import { startLocalChain, type LocalChain } from './local-chain';
import { aProvider, anAccount, authority, type Provider } from './payer';

export const voucherKey = LocalSigner.generate().signer;

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
}

/** @see SessionStage */
export async function startSessionStage(): Promise<SessionStage> {
  const local = await startLocalChain();
  return new SessionStage(local, await aProvider(local));
}

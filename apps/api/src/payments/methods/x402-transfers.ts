import { Injectable } from '@nestjs/common';
import { Chain, ChainRefusedError, type BuiltX402Transfer, type Signer, type X402Transfer } from '#chain';
import { buildPayment } from '#x402';
import type { Account } from '../../accounts';
import { Credentials } from '../process/credentials';
import type { Payment } from '../payment.entity';
import { Declined } from '../payments.errors';
import type { X402Quote } from '../quotes/x402';

const UNPAYABLE =
  'What the seller asks for would fail on chain: its payee has no USDC token account or cannot receive, or its memo is too long.';

/** A signed x402 transfer in an encrypted credential. */
export type X402Credential = Pick<BuiltX402Transfer, 'delegateSignature' | 'lastValidBlockHeight'> & { credentialSealed: string };

/** Builds the transfers that delegates sign for x402 sellers. */
@Injectable()
export class X402Transfers {
  constructor(
    private readonly chain: Chain,
    private readonly credentials: Credentials,
  ) {}

  /** The credential of a payment. @throws Declined if its transfer would fail on chain; ChainUnavailableError */
  async credential(payment: Payment, { required, requirements }: X402Quote, delegate: Signer, account: Account): Promise<X402Credential> {
    const { transaction, delegateSignature, lastValidBlockHeight } = await this.built(requirements, delegate, account);
    const built = buildPayment({ required, requirements, content: { transaction }, paymentId: payment.id });
    return { credentialSealed: this.credentials.sealX402(payment, built), delegateSignature, lastValidBlockHeight };
  }

  /** Checks a transfer as `credential` does, while no delegate is approved. @throws Declined if it would fail; ChainUnavailableError */
  async check({ requirements }: X402Quote, account: Account): Promise<void> {
    await declinedIfRefused(() => this.chain.sellerPayments.checkX402Transfer(transferOf(requirements, account)));
  }

  private built(requirements: X402Quote['requirements'], delegate: Signer, account: Account): Promise<BuiltX402Transfer> {
    return declinedIfRefused(() => this.chain.sellerPayments.buildX402Transfer(transferOf(requirements, account), delegate));
  }
}

function transferOf(
  { payTo, amount: microUsdc, feePayer, memo, recentBlockhash }: X402Quote['requirements'],
  { chainAddress: owner, usdcTokenAccount: tokenAccount, observedSlot }: Account,
): X402Transfer {
  const proposed = { memo: memo ?? null, recentBlockhash: recentBlockhash ?? null };
  return { owner, tokenAccount, payTo, microUsdc, feePayer, ...proposed, minContextSlot: Number(observedSlot) };
}

async function declinedIfRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChainRefusedError)) throw error;
    const message = error.reason === 'payment_fails' ? UNPAYABLE : `What the seller asks for cannot be built: ${error.message}.`;
    throw Declined.because('challenge_invalid', message);
  }
}

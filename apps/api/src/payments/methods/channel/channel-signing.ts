import { Injectable } from '@nestjs/common';
import { Chain, ChainRefusedError, type ChannelTerms } from '#chain';
import { storedTerms } from '../../../channels';
import { PurseKeys } from '../../../purses';
import type { Payment } from '../../payment.entity';
import { Declined } from '../../payments.errors';
import type { Source } from '../purse/purse-bounds';

const UNPAYABLE = 'What the seller asks for would fail on chain: its facilitator cannot open the channel.';

/** An opening to sign, for a payee. */
interface ChannelOpening {
  payee: string;
  terms: ChannelTerms;
  memos: string[];
  /** The blockhash that the seller asks for; null for a recent one. */
  recentBlockhash: string | null;
}

/** Signs openings of channels with the keys of purses. */
@Injectable()
export class ChannelSigning {
  constructor(
    private readonly chain: Chain,
    private readonly keys: PurseKeys,
  ) {}

  /**
   * Signs the opening of a channel for a payment, and returns it with the facts of the channel. Nothing is sent.
   * @throws Declined if it would fail on chain
   */
  async opening(payment: Payment, { account, purse }: Source, { payee, terms, ...asked }: ChannelOpening) {
    const opening = { terms, ...asked, minContextSlot: Number(account.observedSlot) };
    const { transaction, lastValidBlockHeight } = await declinedIfRefused(() =>
      this.chain.channels.buildOpening(opening, this.keys.of(purse)),
    );
    return {
      transaction,
      channel: {
        address: this.chain.channels.addressOf(terms),
        purseId: purse.id,
        accountId: purse.accountId,
        paymentId: payment.id,
        seller: payment.provider,
        payee,
        terms: storedTerms(terms),
        depositMicroUsdc: terms.deposit,
        lastValidBlockHeight: BigInt(lastValidBlockHeight),
      },
    };
  }
}

/** @throws Declined if the chain refuses the work */
export async function declinedIfRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChainRefusedError)) throw error;
    throw Declined.because(
      'challenge_invalid',
      error.reason === 'open_fails' ? UNPAYABLE : `What the seller asks for cannot be built: ${error.message}.`,
    );
  }
}

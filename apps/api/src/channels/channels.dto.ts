import { keysetQuery } from '../lists/pages';
import { formatUsdc } from '../money/usdc';
import type { PurseView } from '../purses';
import type { Channel } from './channel.entity';

/** A payment channel of a channel purse. Amounts in USDC. */
export interface ChannelView {
  channel_address: string;
  /** The seller's origin. */
  seller: string;
  /** The owner that is paid. */
  payee: string;
  deposit_usdc: string;
  /** The amount that the seller was paid; null until the channel is closed. */
  settled_usdc: string | null;
  status: 'opening' | 'open' | 'closing' | 'closed';
}

/** One purse, as the API shows it. */
export interface PurseWithChannelsView extends PurseView {
  /** Of a channel purse: its newest 100 channels, newest first. */
  channels?: ChannelView[];
}

export class ListChannelsQuery extends keysetQuery((key) => placeOf(key) !== undefined) {}

/** The place of a channel in lists: when it was signed, in milliseconds, and its address. */
export const keyOf = ({ createdAt, address }: Channel): string => `${createdAt.getTime()} ${address}`;

/** The beginning of a page. */
export interface Place {
  createdAt: Date;
  address: string;
}

/** The place that a key stands for; undefined for another text. */
export function placeOf(key: string): Place | undefined {
  const [, time, address] = /^(\d{1,15}) ([1-9A-HJ-NP-Za-km-z]{32,44})$/.exec(key) ?? [];
  return time === undefined || address === undefined ? undefined : { createdAt: new Date(Number(time)), address };
}

export function channelView({ address, seller, payee, depositMicroUsdc, settledMicroUsdc, status }: Channel): ChannelView {
  return {
    channel_address: address,
    seller,
    payee,
    deposit_usdc: formatUsdc(depositMicroUsdc),
    settled_usdc: settledMicroUsdc === null ? null : formatUsdc(settledMicroUsdc),
    status,
  };
}

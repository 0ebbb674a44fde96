/** The places where a test kills the process, as a power cut would. */
import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { StartError } from './config-loader';
import { Config } from './config';

/**
 * Every step of an order in its order, then the steps of recovery, signature requests, sessions, payments, charges, purses, channels,
 * accounts, fleets and bulk jobs. The names are settings of tests and chaos runs.
 */
export const FAILPOINTS = [
  'transfer.simulated',
  'transfer.inserted',
  'transfer.signed',
  'transfer.submitted',
  'transfer.sent',
  'transfer.landed',
  'transfer.refused',
  'transfer.settled',
  'transfer.escalated',
  'transfer.approved',
  'transfer.nonce_taken',
  'recovery.claimed',
  'signature.claimed',
  'signature.done',
  'session.closing',
  'session.closed',
  'payment.asked',
  'payment.session_opened',
  'payment.signed',
  'payment.authorized',
  'payment.answered',
  'payment.concluded',
  'payment.streamed',
  'charge.approved',
  'charge.authorized',
  'charge.landed',
  'charge.finished',
  'transfer.handed',
  'purse.locked',
  'purse.authorized',
  'purse.closing',
  'purse.finished',
  'purse.matched',
  'channel.funded',
  'channel.opening_stored',
  'channel.opened',
  'channel.top_up_stored',
  'channel.topped_up',
  'channel.seller_asked',
  'channel.authorized',
  'channel.settled',
  'channel.closing',
  'channel.close_requested',
  'channel.swept',
  'channel.finished',
  'channel.gone',
  'account.inserted',
  'account.created',
  'fleet.inserted',
  'fleet.created',
  'fleet.moved',
  'fleet.closed',
  'fleet.handed',
  'bulk.taken',
  'bulk.changed',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

/** Kills the process at the failpoint that CRASH_AT names: nothing is flushed, and no lease is released. */
@Injectable()
export class Failpoints {
  private readonly point: string | undefined;

  constructor(config: Config, chain: Chain) {
    this.point = config.CRASH_AT;
    if (this.point !== undefined && chain.identity.cluster !== 'localnet') throw new StartError('CRASH_AT is for tests on a local chain.');
  }

  pass(point: Failpoint): void {
    if (point === this.point) process.kill(process.pid, 'SIGKILL');
  }
}

/** The places on money's way at which a test ends the process, as a power cut would. */
import { Injectable } from '@nestjs/common';
import { Chain } from '#chain';
import { Config, StartError } from './config';

/** Every step of a transfer's way, in its order; then those of the ways that it takes after a halt. */
export const CRASH_POINTS = [
  'transfer.judged',
  'transfer.inserted',
  'transfer.signed',
  'transfer.submitted',
  'transfer.sent',
  'transfer.landed',
  'transfer.refused',
  'transfer.settled',
  'transfer.escalated',
  'transfer.approved',
  'transfer.numbered',
  'recovery.claimed',
  'session.closing',
  'session.closed',
  'payment.asked',
  'payment.session_opened',
  'payment.signed',
  'payment.promised',
  'payment.answered',
  'payment.concluded',
  'charge.approved',
  'charge.promised',
  'charge.landed',
  'charge.finished',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Ends the process without a word at the point that CRASH_AT names: nothing is flushed, no lease is given back. */
@Injectable()
export class Failpoints {
  private readonly point: string | undefined;

  constructor(config: Config, chain: Chain) {
    this.point = config.CRASH_AT;
    if (this.point !== undefined && chain.identity.cluster !== 'localnet') throw new StartError('CRASH_AT is for tests on a local chain.');
  }

  pass(point: CrashPoint): void {
    if (point === this.point) process.kill(process.pid, 'SIGKILL');
  }
}

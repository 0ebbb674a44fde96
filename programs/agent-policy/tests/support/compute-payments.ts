import { anAccount } from './account';
import { aFleet } from './fleet';
import { TestChannelPurse, aChannelPurse } from './channel';
import { TestSession, aSession, unluckiestSeq } from './session';
import {
  DAY,
  CATEGORY,
  withLists,
  charged,
  writtenOff,
  checked,
  aDayLater,
  withoutPayeeAccount,
  funded,
  costliestOpening,
  memberSession,
  type Cases,
  afterADay,
  openInLists,
  membersPurse,
} from './compute-states';

/** Compute units of payments: sessions, charges and channels. */
export const PAYMENT_CASES: Cases = {
  openSession: [
    ['open_session', (chain) => new TestSession(anAccount(chain), 1n).open()],
    [
      'open_session, a long search for its address',
      (chain) => {
        const account = anAccount(chain);
        return new TestSession(account, unluckiestSeq(account, 100)).open();
      },
    ],
    ['open_session, lamports on both addresses', (chain) => funded(chain, new TestSession(anAccount(chain), 1n), 1_000_000).open()],
    ['open_session, worst case', (chain) => costliestOpening(chain, 1_000_000).open({ category: CATEGORY, approved: true })],
    [
      'open_session, worst case with the rent already paid',
      (chain) => costliestOpening(chain, 10_000_000).open({ category: CATEGORY, approved: true }),
    ],
    [
      'open_session violates: 128 counterparties',
      (chain) => new TestSession(withLists(chain, 128, 32), 1n).open({ category: CATEGORY }),
      'AllowedCounterparties',
    ],
    [
      'open_session violates: daily limit, worst case',
      (chain) => costliestOpening(chain, 1_000_000, { maxDailySpend: 99n }).open({ category: CATEGORY, approved: true }),
      'MaxDailySpend',
    ],
    ['fleet: open_session', (chain) => new TestSession(aFleet(chain).aMember(), 1n).open()],
  ],
  topUpSession: [
    ['top_up_session', (chain) => aSession(chain).topUp()],
    [
      'top_up_session, 128 + 32, after a day and 1,024 nonces',
      (chain) => afterADay(openInLists(chain)).topUp({ seq: 1_025n, approved: true }),
    ],
  ],
  settleSession: [
    ['settle_session', (chain) => aSession(chain).settle(60n)],
    ['settle_session, nothing new', (chain) => aSession(chain).settle(0n)],
    ['settle_session, after a day', (chain) => aDayLater(aSession(chain)).settle(60n)],
    ['settle_session fails: another key', (chain) => aSession(chain).settle(60n, { signer: chain.aKey() }), 'VoucherWrongKey'],
    ['settle_session, payee’s token account gone', (chain) => withoutPayeeAccount(aDayLater(aSession(chain))).settle(60n)],
  ],
  closeSession: [
    ['close_session, with a voucher', (chain) => aSession(chain).close(60n)],
    ['close_session, without one', (chain) => aSession(chain).close(null)],
    ['close_session, after a day, with consent', (chain) => aDayLater(aSession(chain, { graceSeconds: 60 })).close(60n, { consent: true })],
    ['close_session, starts the grace period', (chain) => aSession(chain, { graceSeconds: 60 }).close(60n)],
    ['close_session fails: a stranger', (chain) => aSession(chain).close(60n, { closer: chain.aKey().publicKey }), 'SessionInUse'],
    ['close_session, payee’s token account gone', (chain) => withoutPayeeAccount(aDayLater(aSession(chain))).close(60n)],
    ['close_expired_session', (chain) => aDayLater(aSession(chain)).closeExpired(60n)],
    ['write_off_session', writtenOff],
    ['fleet: close_session', (chain) => memberSession(chain).close(60n)],
    ['fleet: close_session, after a day', (chain) => aDayLater(memberSession(chain)).close(60n)],
  ],
  approveCharge: [
    ['approve_charge', (chain) => anAccount(chain).approveCharge()],
    [
      'approve_charge, 32 categories, after a day and 1,024 nonces',
      (chain) => {
        const spender = withLists(chain, 128, 32);
        spender.change({ allowedCounterparties: null, maxDailySpend: 500n, maxSingleTransfer: 500n });
        chain.setTime(chain.now + DAY);
        return spender.approveCharge({ seq: 1_024n, category: CATEGORY, approved: true });
      },
    ],
    ['approve_charge violates: counterparties', (chain) => withLists(chain, 128, 32).approveCharge(), 'AllowedCounterparties'],
    ['fleet: approve_charge', (chain) => aFleet(chain).aMember().approveCharge()],
  ],
  finishCharge: [
    ['finish_charge', (chain) => charged(chain).finishCharge()],
    [
      'finish_charge, after a day, by a stranger',
      (chain) => afterADay(charged(chain)).finishCharge(1n, { closer: chain.aKey().publicKey }),
    ],
  ],
  checkPayment: [
    ['check_payment', (chain) => checked(aSession(chain))],
    ['check_payment, 128 + 32, after a day', (chain) => checked(afterADay(openInLists(chain)))],
  ],
  payeeTokenAccount: [
    [
      "the associated token program's create_idempotent",
      (chain) => withoutPayeeAccount(new TestSession(anAccount(chain), 1n)).createPayeeAccount(),
    ],
  ],
  fundChannel: [
    ['fund_channel', (chain) => new TestChannelPurse(anAccount(chain)).fund()],
    [
      'fleet: fund_channel, after a day',
      (chain) => {
        const member = aFleet(chain, { limits: { daily: 500n } }).aMember({ policy: { maxDailySpend: 500n } });
        member.pay();
        chain.setTime(chain.now + DAY);
        return new TestChannelPurse(member, 1_024n).fund();
      },
    ],
  ],
  sweepChannel: [['sweep_channel', (chain) => aChannelPurse(anAccount(chain)).sweep()]],
  finishChannel: [
    ['finish_channel', (chain) => aChannelPurse(anAccount(chain)).finish()],
    ['fleet: finish_channel, after a day', (chain) => afterADay(membersPurse(chain)).finish()],
  ],
  closeChannel: [
    [
      'close_channel',
      (chain) => {
        const purse = aChannelPurse(anAccount(chain));
        chain.run(purse.finish());
        chain.setTokens(purse.tokenAccount, { amount: 5n });
        return purse.close();
      },
    ],
  ],
  closeOpenChannel: [
    ['close_channel, of an open purse', (chain) => aChannelPurse(anAccount(chain)).close()],
    ['fleet: close_channel, of an open purse, after a day', (chain) => afterADay(membersPurse(chain)).close()],
  ],
};

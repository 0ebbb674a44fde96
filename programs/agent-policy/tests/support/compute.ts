/** Compute units of each instruction: the cases on which the limits are asserted, and which the benchmark prints. */
import { createAssociatedTokenAccountIdempotentInstruction, createMintToInstruction } from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, SystemProgram, SYSVAR_INSTRUCTIONS_PUBKEY, type TransactionInstruction } from '@solana/web3.js';
import { acceptanceText, verifyAcceptance } from '../../../../libs/chain/src/accounts/acceptance';
import type { PolicyChange } from '../../../../libs/chain/src/policy/policy.types';
import { byWords, entriesOf } from '../../../../libs/chain/src/policy/list-entries';
import { COMPUTE_UNITS } from '../../../../libs/chain/src/program/compute-units';
import { PROGRAM_ID } from '../../../../libs/chain/src/program/idl';
import { instruction } from '../../../../libs/chain/src/program/instruction';
import { SPACE, aPlan, anAccount, someAddresses, someCategories, type Draft, type Order, type TestAccount } from './account';
import { aChain, type Outcome, type TestChain } from './chain';
import { type TestFleet, aFleet } from './fleet';
import { GROWTHS, StagedLists, setLists } from './fleet-lists';
import { TestChannelPurse, aChannelPurse } from './channel';
import { TestSession, aSession, unluckiestSeq } from './session';

export interface Case {
  /** The limit of the chain library that applies. */
  ceiling: keyof typeof COMPUTE_UNITS;
  title: string;
  /** The expected error; undefined for a success. */
  error?: string;
  /** Prepares the state and returns the instruction to measure, with the verification of its voucher. */
  prepare: (chain: TestChain) => TransactionInstruction | TransactionInstruction[];
}

/** Offsets of fields in a `Policy`, discriminator included. */
const POLICY_BUMP = 9;
const POLICY_OWNER = 16;
const DAY = 86_400;
const CATEGORY = someCategories(32)[31] ?? '';

/** An account whose policy has this many entries. */
function withLists(chain: TestChain, counterparties: number, categories: number): TestAccount {
  const listed = anAccount(chain);
  const { draft, change } = listed.aDraft({ counterparties, categories });
  listed.stage(draft);
  chain.run(listed.setPolicy(change, { draft }));
  return listed;
}

/** A token account of the last counterparty in a list of this length. */
const lastOf = (chain: TestChain, counterparties: number): PublicKey =>
  chain.aTokenAccount({ owner: new PublicKey(someAddresses(counterparties).at(-1) ?? PublicKey.default) });

/** A change to 160 entries, staged for an account that may have as many before. */
function commit(chain: TestChain, listed: TestAccount): TransactionInstruction {
  const { draft, change } = listed.aDraft({ counterparties: 128, categories: 32 });
  listed.stage(draft);
  return listed.setPolicy({ ...change, maxDailySpend: 5n, paused: false }, { draft, accounts: { payer: chain.feePayer.publicKey } });
}

/** Spends in each of the last 97 buckets. */
function withFullWindow(spender: TestAccount): TestAccount {
  const { chain } = spender;
  for (let bucket = 0; bucket < 97; bucket++) {
    chain.setTime(chain.now + 900);
    if (spender.errorOf() !== 'none') throw new Error('a transfer to fill the window failed');
  }
  return spender;
}

/** A change to an operator that has accepted, and does not sign. */
function changeToAccepted(owner: TestAccount): TransactionInstruction[] {
  const next = owner.chain.aKey();
  const text = acceptanceText(owner.operator.publicKey.toBase58(), Buffer.alloc(16));
  const acceptance = { address: next.publicKey.toBase58(), text, signature: next.sign(Buffer.from(text)) };
  return [verifyAcceptance(acceptance), owner.setOperator(next.publicKey, { instructions: SYSVAR_INSTRUCTIONS_PUBKEY })];
}

/** Checks all rules, both lists and all buckets, to compute when the amount will fit. */
function costliestViolation(chain: TestChain): TransactionInstruction {
  const spender = withFullWindow(anAccount(chain));
  const { draft, change } = spender.aDraft({ counterparties: 128, categories: 32 });
  spender.stage(draft);
  chain.run(spender.setPolicy({ ...change, maxDailySpend: 97n }, { draft }));
  return spender.transfer({
    seq: spender.seq + 1_024n,
    amount: 97n,
    category: CATEGORY,
    destination: lastOf(chain, 128),
    memoHash: Buffer.alloc(32, 1),
    approved: true,
  });
}

export const CASES: Case[] = [
  { ceiling: 'createAccount', title: 'create_account', prepare: (chain) => aPlan(chain).create() },
  {
    ceiling: 'createAccount',
    title: 'create_account, token account exists',
    prepare: (chain) => {
      const plan = aPlan(chain);
      chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, plan.tokenAccount, plan.address, chain.mint));
      return plan.create();
    },
  },
  {
    ceiling: 'createAccount',
    title: 'create_account, lamports on all addresses',
    prepare: (chain) => {
      const plan = aPlan(chain);
      const fund = (toPubkey: PublicKey) => SystemProgram.transfer({ fromPubkey: chain.feePayer.publicKey, toPubkey, lamports: 1_000_000 });
      chain.run(...[plan.address, plan.policy, plan.tokenAccount].map(fund));
      return plan.create();
    },
  },
  { ceiling: 'setPolicy', title: 'set_policy, one limit', prepare: (chain) => anAccount(chain).setPolicy({ maxDailySpend: 5n }) },
  { ceiling: 'setPolicy', title: 'set_policy, pause alone', prepare: (chain) => anAccount(chain).setPolicy({ paused: true }) },
  {
    ceiling: 'setPolicy',
    title: 'set_policy, pause alone, 128 + 32 before',
    prepare: (chain) => withLists(chain, 128, 32).setPolicy({ paused: true }),
  },
  {
    ceiling: 'setPolicy',
    title: 'set_policy, 10 counterparties',
    prepare: (chain) => anAccount(chain).setPolicy({ allowedCounterparties: someAddresses(10) }),
  },
  {
    ceiling: 'setPolicy',
    title: 'set_policy, 20 counterparties',
    prepare: (chain) => anAccount(chain).setPolicy({ allowedCounterparties: someAddresses(20) }),
  },
  { ceiling: 'commitDraft', title: 'set_policy, 128 + 32 by a draft', prepare: (chain) => commit(chain, anAccount(chain)) },
  {
    ceiling: 'commitDraft',
    title: 'set_policy, 128 + 32 by a draft, 128 + 32 before',
    prepare: (chain) => commit(chain, withLists(chain, 128, 32)),
  },
  {
    ceiling: 'setPolicy',
    title: 'set_policy, 128 + 32 cleared',
    prepare: (chain) => withLists(chain, 128, 32).setPolicy({ allowedCounterparties: null, categories: null }),
  },
  {
    ceiling: 'setPolicy',
    title: 'set_policy fails: another version',
    error: 'PolicyVersionMismatch',
    prepare: (chain) => withLists(chain, 128, 32).setPolicy({ paused: true }, { expectedVersion: 9n }),
  },
  {
    ceiling: 'policyDraft',
    title: 'create_policy_draft, 128 + 32',
    prepare: (chain) => draftOf(anAccount(chain), (owner, draft) => owner.createDraft(draft), 'absent'),
  },
  {
    ceiling: 'policyDraft',
    title: 'create_policy_draft, lamports on its address',
    prepare: (chain) =>
      draftOf(
        anAccount(chain),
        (owner, draft) => {
          chain.run(SystemProgram.transfer({ fromPubkey: chain.feePayer.publicKey, toPubkey: draft.address, lamports: 1_000_000 }));
          return owner.createDraft(draft);
        },
        'absent',
      ),
  },
  {
    ceiling: 'policyDraft',
    title: 'write_policy_draft, 768 bytes',
    prepare: (chain) => draftOf(anAccount(chain), (owner, draft) => owner.writeDraft(draft)),
  },
  {
    ceiling: 'policyDraft',
    title: 'close_policy_draft',
    prepare: (chain) => draftOf(anAccount(chain), (owner, draft) => owner.closeDraft(draft)),
  },
  { ceiling: 'keyChange', title: 'rotate_authority', prepare: (chain) => anAccount(chain).rotateAuthority(chain.aKey().publicKey) },
  { ceiling: 'keyChange', title: 'set_operator', prepare: (chain) => anAccount(chain).setOperator(chain.aKey().publicKey) },
  { ceiling: 'keyChange', title: 'set_operator, accepted', prepare: (chain) => changeToAccepted(anAccount(chain)) },
  {
    ceiling: 'keyChange',
    title: 'rotate_authority fails: wrong operator',
    error: 'WrongOperator',
    prepare: (chain) => anAccount(chain).rotateAuthority(chain.aKey().publicKey, { operator: chain.aKey().publicKey }),
  },
  {
    ceiling: 'keyChange',
    title: 'set_operator fails: the authority',
    error: 'KeysNotDistinct',
    prepare: (chain) => {
      const owner = anAccount(chain);
      return owner.setOperator(owner.authority.publicKey);
    },
  },
  { ceiling: 'transfer', title: 'transfer, no lists', prepare: (chain) => anAccount(chain).transfer() },
  { ceiling: 'transfer', title: 'transfer, no lists, operator signs', prepare: (chain) => anAccount(chain).transfer({ approved: true }) },
  { ceiling: 'transfer', title: 'transfer, 10 counterparties', prepare: (chain) => paid(chain, 10, 0, false) },
  { ceiling: 'transfer', title: 'transfer, 10 counterparties, operator signs', prepare: (chain) => paid(chain, 10, 0, true) },
  { ceiling: 'transfer', title: 'transfer, 128 + 32', prepare: (chain) => paid(chain, 128, 32, false) },
  { ceiling: 'transfer', title: 'transfer, 128 + 32, operator signs', prepare: (chain) => paid(chain, 128, 32, true) },
  {
    ceiling: 'transfer',
    title: 'transfer, 128 + 32, after a day and 1,024 nonces',
    prepare: (chain) => {
      const spender = withLists(chain, 128, 32);
      chain.setTime(chain.now + DAY); // 96 buckets to let go, one by one
      return spender.transfer({
        seq: 1_024n,
        category: CATEGORY,
        destination: lastOf(chain, 128),
        memoHash: Buffer.alloc(32, 1),
        approved: true,
      });
    },
  },
  { ceiling: 'transfer', title: 'transfer violates: daily limit, worst case', error: 'MaxDailySpend', prepare: costliestViolation },
  {
    ceiling: 'transfer',
    title: 'transfer violates: 128 counterparties',
    error: 'AllowedCounterparties',
    prepare: (chain) => withLists(chain, 128, 32).transfer({ category: CATEGORY, approved: true }),
  },
  {
    ceiling: 'transfer',
    title: 'transfer violates: paused',
    error: 'Paused',
    prepare: (chain) => anAccount(chain, { policy: { paused: true } }).transfer(),
  },
  {
    ceiling: 'transfer',
    title: 'transfer fails: wrong authority',
    error: 'WrongAuthority',
    prepare: (chain) => anAccount(chain).transfer({}, { authority: chain.aKey().publicKey }),
  },
  { ceiling: 'openSession', title: 'open_session', prepare: (chain) => new TestSession(anAccount(chain), 1n).open() },
  {
    ceiling: 'openSession',
    title: 'open_session, a long search for its address',
    prepare: (chain) => {
      const account = anAccount(chain);
      return new TestSession(account, unluckiestSeq(account, 100)).open();
    },
  },
  {
    ceiling: 'openSession',
    title: 'open_session, lamports on both addresses',
    prepare: (chain) => funded(chain, new TestSession(anAccount(chain), 1n), 1_000_000).open(),
  },
  {
    ceiling: 'openSession',
    title: 'open_session, worst case',
    prepare: (chain) => costliestOpening(chain, 1_000_000).open({ category: CATEGORY, approved: true }),
  },
  {
    ceiling: 'openSession',
    title: 'open_session, worst case with the rent already paid',
    prepare: (chain) => costliestOpening(chain, 10_000_000).open({ category: CATEGORY, approved: true }),
  },
  {
    ceiling: 'openSession',
    title: 'open_session violates: 128 counterparties',
    error: 'AllowedCounterparties',
    prepare: (chain) => new TestSession(withLists(chain, 128, 32), 1n).open({ category: CATEGORY }),
  },
  {
    ceiling: 'openSession',
    title: 'open_session violates: daily limit, worst case',
    error: 'MaxDailySpend',
    prepare: (chain) => costliestOpening(chain, 1_000_000, { maxDailySpend: 99n }).open({ category: CATEGORY, approved: true }),
  },
  { ceiling: 'topUpSession', title: 'top_up_session', prepare: (chain) => aSession(chain).topUp() },
  {
    ceiling: 'topUpSession',
    title: 'top_up_session, 128 + 32, after a day and 1,024 nonces',
    prepare: (chain) => {
      const session = sessionInLists(chain);
      chain.run(session.open({ category: CATEGORY, expiresInSeconds: 2 * DAY }));
      chain.setTime(chain.now + DAY);
      return session.topUp({ seq: 1_025n, approved: true });
    },
  },
  { ceiling: 'settleSession', title: 'settle_session', prepare: (chain) => aSession(chain).settle(60n) },
  { ceiling: 'settleSession', title: 'settle_session, nothing new', prepare: (chain) => aSession(chain).settle(0n) },
  { ceiling: 'settleSession', title: 'settle_session, after a day', prepare: (chain) => aDayLater(chain, aSession(chain)).settle(60n) },
  {
    ceiling: 'settleSession',
    title: 'settle_session fails: another key',
    error: 'VoucherWrongKey',
    prepare: (chain) => aSession(chain).settle(60n, { signer: chain.aKey() }),
  },
  {
    ceiling: 'settleSession',
    title: 'settle_session, payee’s token account gone',
    prepare: (chain) => withoutPayeeAccount(aDayLater(chain, aSession(chain))).settle(60n),
  },
  { ceiling: 'closeSession', title: 'close_session, with a voucher', prepare: (chain) => aSession(chain).close(60n) },
  { ceiling: 'closeSession', title: 'close_session, without one', prepare: (chain) => aSession(chain).close(null) },
  {
    ceiling: 'closeSession',
    title: 'close_session, after a day, with consent',
    prepare: (chain) => aDayLater(chain, aSession(chain, { graceSeconds: 60 })).close(60n, { consent: true }),
  },
  {
    ceiling: 'closeSession',
    title: 'close_session, starts the grace period',
    prepare: (chain) => aSession(chain, { graceSeconds: 60 }).close(60n),
  },
  {
    ceiling: 'closeSession',
    title: 'close_session fails: a stranger',
    error: 'SessionInUse',
    prepare: (chain) => aSession(chain).close(60n, { closer: chain.aKey().publicKey }),
  },
  {
    ceiling: 'closeSession',
    title: 'close_session, payee’s token account gone',
    prepare: (chain) => withoutPayeeAccount(aDayLater(chain, aSession(chain))).close(60n),
  },
  { ceiling: 'closeSession', title: 'close_expired_session', prepare: (chain) => aDayLater(chain, aSession(chain)).closeExpired(60n) },
  { ceiling: 'approveCharge', title: 'approve_charge', prepare: (chain) => anAccount(chain).approveCharge() },
  {
    ceiling: 'approveCharge',
    title: 'approve_charge, 32 categories, after a day and 1,024 nonces',
    prepare: (chain) => {
      const spender = withLists(chain, 128, 32);
      spender.change({ allowedCounterparties: null, maxDailySpend: 500n, maxSingleTransfer: 500n });
      chain.setTime(chain.now + DAY);
      return spender.approveCharge({ seq: 1_024n, category: CATEGORY, approved: true });
    },
  },
  {
    ceiling: 'approveCharge',
    title: 'approve_charge violates: counterparties',
    error: 'AllowedCounterparties',
    prepare: (chain) => withLists(chain, 128, 32).approveCharge(),
  },
  { ceiling: 'finishCharge', title: 'finish_charge', prepare: (chain) => charged(chain).finishCharge() },
  {
    ceiling: 'finishCharge',
    title: 'finish_charge, after a day, by a stranger',
    prepare: (chain) => {
      const spender = charged(chain);
      chain.setTime(chain.now + DAY);
      return spender.finishCharge(1n, { closer: chain.aKey().publicKey });
    },
  },
  {
    ceiling: 'setPolicy',
    title: 'set_policy, pause alone, with a charge open',
    prepare: (chain) => charged(chain).setPolicy({ paused: true }),
  },
  {
    ceiling: 'commitDraft',
    title: 'set_policy, 128 + 32 by a draft and paused, with a charge open',
    prepare: (chain) => paused(chain, charged(chain)),
  },
  { ceiling: 'transfer', title: 'transfer, with a charge open', prepare: (chain) => charged(chain).transfer() },
  { ceiling: 'checkPayment', title: 'check_payment', prepare: (chain) => checked(aSession(chain)) },
  {
    ceiling: 'checkPayment',
    title: 'check_payment, 128 + 32, after a day',
    prepare: (chain) => {
      const session = sessionInLists(chain);
      chain.run(session.open({ category: CATEGORY, expiresInSeconds: 2 * DAY }));
      chain.setTime(chain.now + DAY);
      return checked(session);
    },
  },
  { ceiling: 'closeAccount', title: 'close_account', prepare: (chain) => anAccount(chain, { balance: 0n }).close() },
  {
    ceiling: 'closeAccount',
    title: 'close_account, with a balance',
    prepare: (chain) => {
      const owner = anAccount(chain);
      return owner.close({ destination: owner.payee });
    },
  },
  { ceiling: 'sweepClosedAccount', title: 'sweep_closed_account', prepare: sweptLater },
  { ceiling: 'closeSession', title: 'write_off_session', prepare: writtenOff },
  {
    ceiling: 'keyChange',
    title: 'rotate_authority, with a charge open',
    prepare: (chain) => charged(chain).rotateAuthority(chain.aKey().publicKey),
  },
  {
    ceiling: 'returnSurplusRent',
    title: 'return_surplus_rent, of an account with its policy',
    prepare: (chain) => {
      const { address, policy, creator } = anAccount(chain);
      const fund = (toPubkey: PublicKey) => SystemProgram.transfer({ fromPubkey: chain.feePayer.publicKey, toPubkey, lamports: 1_000 });
      chain.run(fund(address), fund(policy));
      return instruction(PROGRAM_ID, 'return_surplus_rent', { owner: address, policy, creator: creator.publicKey }, {});
    },
  },
  { ceiling: 'spending', title: 'spending, unused', prepare: (chain) => anAccount(chain).spending() },
  {
    ceiling: 'spending',
    title: 'spending, every bucket used',
    prepare: (chain) => withFullWindow(anAccount(chain, { policy: { maxDailySpend: 500n } })).spending(),
  },
  {
    ceiling: 'payeeTokenAccount',
    title: "the associated token program's create_idempotent",
    prepare: (chain) => withoutPayeeAccount(new TestSession(anAccount(chain), 1n)).createPayeeAccount(),
  },
  {
    ceiling: 'mintTo',
    title: "the token program's mint_to",
    prepare: (chain) => createMintToInstruction(chain.mint, anAccount(chain).tokenAccount, chain.freezeAuthority.publicKey, 5n),
  },
  {
    ceiling: 'createAccount',
    title: 'create_account, in a fleet',
    prepare: (chain) => {
      const fleet = aFleet(chain);
      return fleet.createIn(aPlan(chain, { operator: fleet.operator }));
    },
  },
  { ceiling: 'transfer', title: 'fleet: transfer, no lists', prepare: (chain) => aFleet(chain).aMember().transfer() },
  {
    ceiling: 'transfer',
    title: 'fleet: transfer, all rules',
    prepare: (chain) => memberUnderAllRules(chain, 10, 4).transfer(orderUnderAllRules(chain, 10)),
  },
  {
    ceiling: 'transfer',
    title: 'fleet: transfer, worst case',
    prepare: (chain) => {
      const member = memberUnderAllRules(chain, 128, 32);
      const order = { ...orderUnderAllRules(chain, 128), category: CATEGORY };
      member.pay(order);
      chain.setTime(chain.now + DAY); // 96 buckets to let go, in two windows
      return member.transfer({ ...order, seq: 1_025n });
    },
  },
  {
    ceiling: 'transfer',
    title: 'fleet: transfer, 1,024 counterparties and 32 categories',
    prepare: (chain) => memberOfLongLists(chain).transfer({ destination: lastOf(chain, 1_024), category: CATEGORY }),
  },
  {
    ceiling: 'transfer',
    title: 'fleet: transfer violates: 1,024 counterparties',
    error: 'FleetAllowedCounterparties',
    prepare: (chain) => memberOfLongLists(chain).transfer({ category: CATEGORY }),
  },
  {
    ceiling: 'growPolicy',
    title: 'fleet: grow_policy, for 1,024 + 32',
    prepare: (chain) => {
      const lists = new StagedLists(aFleet(chain), longestLists()).stage();
      return Array.from({ length: GROWTHS }, () => lists.grow());
    },
  },
  { ceiling: 'commitDraft', title: 'fleet: set_policy, 1,024 + 32 by a draft', prepare: (chain) => longCommit(aFleet(chain)) },
  {
    ceiling: 'commitDraft',
    title: 'fleet: set_policy, 1,024 + 32 by a draft, 1,024 + 32 before',
    prepare: (chain) => {
      const fleet = aFleet(chain);
      setLists(fleet, longestLists());
      return longCommit(fleet);
    },
  },
  { ceiling: 'openSession', title: 'fleet: open_session', prepare: (chain) => new TestSession(aFleet(chain).aMember(), 1n).open() },
  { ceiling: 'closeSession', title: 'fleet: close_session', prepare: (chain) => memberSession(chain).close(60n) },
  {
    ceiling: 'closeSession',
    title: 'fleet: close_session, after a day',
    prepare: (chain) => aDayLater(chain, memberSession(chain)).close(60n),
  },
  { ceiling: 'approveCharge', title: 'fleet: approve_charge', prepare: (chain) => aFleet(chain).aMember().approveCharge() },
  { ceiling: 'fundChannel', title: 'fund_channel', prepare: (chain) => new TestChannelPurse(anAccount(chain)).fund() },
  {
    ceiling: 'fundChannel',
    title: 'fleet: fund_channel, after a day',
    prepare: (chain) => {
      const member = aFleet(chain, { limits: { daily: 500n } }).aMember({ policy: { maxDailySpend: 500n } });
      member.pay();
      chain.setTime(chain.now + DAY);
      return new TestChannelPurse(member, 1_024n).fund();
    },
  },
  { ceiling: 'sweepChannel', title: 'sweep_channel', prepare: (chain) => aChannelPurse(anAccount(chain)).sweep() },
  { ceiling: 'finishChannel', title: 'finish_channel', prepare: (chain) => aChannelPurse(anAccount(chain)).finish() },
  {
    ceiling: 'finishChannel',
    title: 'fleet: finish_channel, after a day',
    prepare: (chain) => {
      const purse = aChannelPurse(aFleet(chain).aMember(), { expiresInSeconds: 2 * DAY });
      purse.account.pay();
      chain.setTime(chain.now + DAY);
      return purse.finish();
    },
  },
  {
    ceiling: 'closeChannel',
    title: 'close_channel',
    prepare: (chain) => {
      const purse = aChannelPurse(anAccount(chain));
      chain.run(purse.finish());
      chain.setTokens(purse.tokenAccount, { amount: 5n });
      return purse.close();
    },
  },
  { ceiling: 'closeOpenChannel', title: 'close_channel, of an open purse', prepare: (chain) => aChannelPurse(anAccount(chain)).close() },
  {
    ceiling: 'closeOpenChannel',
    title: 'fleet: close_channel, of an open purse, after a day',
    prepare: (chain) => {
      const purse = aChannelPurse(aFleet(chain).aMember(), { expiresInSeconds: 2 * DAY });
      purse.account.pay();
      chain.setTime(chain.now + DAY);
      return purse.close();
    },
  },
  {
    ceiling: 'commitDraft',
    title: 'fleet: set_policy, 128 + 32 by a draft, with an open charge',
    prepare: (chain) => {
      const member = aFleet(chain).aMember();
      chain.run(member.approveCharge());
      return paused(chain, member);
    },
  },
];

/** A session that is not open yet, whose payee is one of 128 counterparties. */
function sessionInLists(chain: TestChain, seq = 1n): TestSession {
  const session = new TestSession(withLists(chain, 128, 32), seq);
  chain.patch(session.account.policy, (data) => {
    const list = data.subarray(SPACE.policy, SPACE.policy + 128 * SPACE.entry);
    const others = entriesOf(Buffer.from(list)).slice(1);
    list.set(Buffer.concat([...others, session.payee.publicKey.toBytes()].sort(byWords)));
  });
  return session;
}

function charged(chain: TestChain): TestAccount {
  const spender = anAccount(chain);
  chain.run(spender.approveCharge());
  spender.seq = 1n;
  return spender;
}

function paused(chain: TestChain, spender: TestAccount): TransactionInstruction {
  const { draft, change } = spender.aDraft({ counterparties: 128, categories: 32 });
  spender.stage(draft);
  chain.setTime(chain.now + DAY);
  return spender.setPolicy({ ...change, maxDailySpend: 5n, paused: true }, { draft });
}

/** Money arrives after the account was closed. */
function sweptLater(chain: TestChain): TransactionInstruction {
  const owner = anAccount(chain, { balance: 0n });
  chain.run(owner.close());
  chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, owner.tokenAccount, owner.address, chain.mint));
  chain.setTokens(owner.tokenAccount, { amount: 5n });
  return owner.sweepClosed(owner.payee);
}

/** The payee gave its token account away 90 days before. */
function writtenOff(chain: TestChain): TransactionInstruction {
  const session = aSession(chain);
  chain.setTokens(session.payeeTokenAccount, { owner: chain.aKey().publicKey });
  chain.run(...session.close(60n));
  chain.setTime(chain.now + 90 * DAY);
  return session.writeOff();
}

const checked = ({ account, address }: TestSession): TransactionInstruction => account.checkPayment(address);

/** A day later every bucket of the window is released at once. */
function aDayLater(chain: TestChain, session: TestSession): TestSession {
  session.account.pay({ seq: 2n });
  chain.setTime(chain.now + DAY);
  return session;
}

function withoutPayeeAccount(session: TestSession): TestSession {
  session.chain.run(session.closePayeeAccount());
  return session;
}

/** Both addresses hold lamports before. */
function funded(chain: TestChain, session: TestSession, lamports: number): TestSession {
  chain.run(
    ...[session.address, session.escrow].map((toPubkey) =>
      SystemProgram.transfer({ fromPubkey: chain.feePayer.publicKey, toPubkey, lamports }),
    ),
  );
  return session;
}

/** All rules are checked, both lists are read to their end, all buckets are released and all nonces cleared. */
function costliestOpening(chain: TestChain, lamports: number, policy: PolicyChange = { maxDailySpend: 500n }): TestSession {
  const session = sessionInLists(chain, 1_024n);
  session.account.change({ ...policy, escalationThreshold: 100n });
  chain.setTime(chain.now + DAY);
  return funded(chain, session, lamports);
}

/** An account and its fleet, each with lists of this length and with every limit. */
function memberUnderAllRules(chain: TestChain, counterparties: number, categories: number): TestAccount {
  const amounts = { maxSingleTransfer: 500n, maxDailySpend: 500n, maxMonthlySpend: 500n, maxLifetimeSpend: 500n, maxSessionCap: 500n };
  const policy = {
    ...amounts,
    escalationThreshold: 400n,
    approvalAboveDailySum: 400n,
    validUntil: new Date(2_000_000_000_000),
    requireMemo: true,
  };
  const fleet = aFleet(chain, { policy, limits: { daily: 500n, monthly: 500n, lifetime: 500n } });
  const member = fleet.aMember({ policy });
  const { draft, change } = member.aDraft({ counterparties, categories });
  member.stage(draft);
  chain.run(member.setPolicy({ ...change, ...(categories < 32 && { categories: null }) }, { draft }));
  // The fleet gets the same policy.
  const { data, ...rest } = chain.account(member.policy);
  data.set(chain.account(fleet.policy).data.subarray(POLICY_BUMP, POLICY_BUMP + 1), POLICY_BUMP);
  data.set(fleet.address.toBytes(), POLICY_OWNER);
  chain.put(fleet.policy, { ...rest, data });
  return member;
}

const longestLists = () => ({ allowedCounterparties: someAddresses(1_024), categories: someCategories(32) });

function memberOfLongLists(chain: TestChain): TestAccount {
  const fleet = aFleet(chain);
  setLists(fleet, longestLists());
  return fleet.aMember();
}

/** Commits the longest lists, for which there is room. */
function longCommit(fleet: TestFleet): TransactionInstruction {
  const lists = new StagedLists(fleet, { ...longestLists(), maxDailySpend: 5n, paused: true }).stage();
  for (let step = 0; step < GROWTHS; step++) fleet.chain.run(lists.grow());
  return lists.commit();
}

const orderUnderAllRules = (chain: TestChain, counterparties: number): Partial<Order> => ({
  destination: lastOf(chain, counterparties),
  memoHash: Buffer.alloc(32, 1),
});

function memberSession(chain: TestChain): TestSession {
  const session = new TestSession(aFleet(chain).aMember(), 1n);
  chain.run(session.open({ expiresInSeconds: 2 * DAY }));
  session.account.seq = 1n;
  return session;
}

function draftOf(
  owner: TestAccount,
  use: (owner: TestAccount, draft: Draft) => TransactionInstruction,
  state: 'staged' | 'absent' = 'staged',
): TransactionInstruction {
  const { draft } = owner.aDraft({ counterparties: 128, categories: 32 });
  if (state === 'staged') owner.stage(draft);
  return use(owner, draft);
}

function paid(chain: TestChain, counterparties: number, categories: number, approved: boolean): TransactionInstruction {
  const spender = withLists(chain, counterparties, categories);
  if (categories === 0) spender.change({ categories: null });
  spender.change({ maxSingleTransfer: 500n, maxDailySpend: 500n, escalationThreshold: 400n });
  return spender.transfer({ destination: lastOf(chain, counterparties), category: categories > 0 ? CATEGORY : null, approved });
}

/** Runs a case `times` times, each on a new account, with the compute budget instruction that the service adds. */
export function measure({ ceiling, prepare }: Case, times: number): Outcome[] {
  const chain = aChain();
  return Array.from({ length: times }, () =>
    chain.send(ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS[ceiling] }), ...[prepare(chain)].flat()),
  );
}

/** The states in which the compute units of an instruction are measured. */
import { createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey, SystemProgram, SYSVAR_INSTRUCTIONS_PUBKEY, type TransactionInstruction } from '@solana/web3.js';
import { acceptanceText, verifyAcceptance } from '../../../../libs/chain/src/accounts/acceptance';
import type { PolicyChange } from '../../../../libs/chain/src/policy/policy.types';
import { byWords, entriesOf } from '../../../../libs/chain/src/policy/list-entries';
import { SPACE, anAccount, someAddresses, someCategories, type TestAccount } from './account';
import type { Draft, Order } from './account-instructions';
import type { COMPUTE_UNITS } from '../../../../libs/chain/src/program/compute-units';
import type { TestChain } from './chain';
import { type TestChannelPurse, aChannelPurse } from './channel';
import { type TestFleet, aFleet } from './fleet';
import { GROWTHS, StagedLists, setLists } from './fleet-lists';
import { TestSession, aSession } from './session';

/** A limit of the chain library. */
export type Ceiling = keyof typeof COMPUTE_UNITS;
/** Prepares the state and returns the instruction to measure, with the verification of its voucher. */
export type Prepare = (chain: TestChain) => TransactionInstruction | TransactionInstruction[];
/** Cases by their limit. The error is the expected one; without one the instruction succeeds. */
export type Cases = { [ceiling in Ceiling]?: [title: string, prepare: Prepare, error?: string][] };

/** Offsets of fields in a `Policy`, discriminator included. */
const POLICY_BUMP = 9;
const POLICY_OWNER = 16;
export const DAY = 86_400;
export const CATEGORY = someCategories(32)[31] ?? '';

/** An account whose policy has this many entries. */
export function withLists(chain: TestChain, counterparties: number, categories: number): TestAccount {
  const listed = anAccount(chain);
  const { draft, change } = listed.aDraft({ counterparties, categories });
  listed.stage(draft);
  chain.run(listed.setPolicy(change, { draft }));
  return listed;
}

/** A token account of the last counterparty in a list of this length. */
export const lastOf = (chain: TestChain, counterparties: number): PublicKey =>
  chain.aTokenAccount({ owner: new PublicKey(someAddresses(counterparties).at(-1) ?? PublicKey.default) });

/** A change to 160 entries, staged for an account that may have as many before. */
export function commit(chain: TestChain, listed: TestAccount): TransactionInstruction {
  const { draft, change } = listed.aDraft({ counterparties: 128, categories: 32 });
  listed.stage(draft);
  return listed.setPolicy({ ...change, maxDailySpend: 5n, paused: false }, { draft, accounts: { payer: chain.feePayer.publicKey } });
}

/** Spends in each of the last 97 buckets. */
export function withFullWindow(spender: TestAccount): TestAccount {
  const { chain } = spender;
  for (let bucket = 0; bucket < 97; bucket++) {
    chain.setTime(chain.now + 900);
    if (spender.errorOf() !== 'none') throw new Error('a transfer to fill the window failed');
  }
  return spender;
}

/** A change to an operator that has accepted, and does not sign. */
export function changeToAccepted(owner: TestAccount): TransactionInstruction[] {
  const next = owner.chain.aKey();
  const text = acceptanceText(owner.operator.publicKey.toBase58(), Buffer.alloc(16));
  const acceptance = { address: next.publicKey.toBase58(), text, signature: next.sign(Buffer.from(text)) };
  return [verifyAcceptance(acceptance), owner.setOperator(next.publicKey, { instructions: SYSVAR_INSTRUCTIONS_PUBKEY })];
}

/** Checks all rules, both lists and all buckets, to compute when the amount will fit. */
export function costliestViolation(chain: TestChain): TransactionInstruction {
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

/** A session that is not open yet, whose payee is one of 128 counterparties. */
export function sessionInLists(chain: TestChain, seq = 1n): TestSession {
  const session = new TestSession(withLists(chain, 128, 32), seq);
  chain.patch(session.account.policy, (data) => {
    const list = data.subarray(SPACE.policy, SPACE.policy + 128 * SPACE.entry);
    const others = entriesOf(Buffer.from(list)).slice(1);
    list.set(Buffer.concat([...others, session.payee.publicKey.toBytes()].sort(byWords)));
  });
  return session;
}

/** An account with an open charge. */
export function charged(chain: TestChain, spender = anAccount(chain)): TestAccount {
  chain.run(spender.approveCharge());
  spender.seq = 1n;
  return spender;
}

export function paused(chain: TestChain, spender: TestAccount): TransactionInstruction {
  const { draft, change } = spender.aDraft({ counterparties: 128, categories: 32 });
  spender.stage(draft);
  chain.setTime(chain.now + DAY);
  return spender.setPolicy({ ...change, maxDailySpend: 5n, paused: true }, { draft });
}

/** Money arrives after the account was closed. */
export function sweptLater(chain: TestChain): TransactionInstruction {
  const owner = anAccount(chain, { balance: 0n });
  chain.run(owner.close());
  chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, owner.tokenAccount, owner.address, chain.mint));
  chain.setTokens(owner.tokenAccount, { amount: 5n });
  return owner.sweepClosed(owner.payee);
}

/** The payee gave its token account away 90 days before. */
export function writtenOff(chain: TestChain): TransactionInstruction {
  const session = aSession(chain);
  chain.setTokens(session.payeeTokenAccount, { owner: chain.aKey().publicKey });
  chain.run(...session.close(60n));
  chain.setTime(chain.now + 90 * DAY);
  return session.writeOff();
}

export const checked = ({ account, address }: TestSession): TransactionInstruction => account.checkPayment(address);

/** A day later every bucket of the window is released at once. */
export function aDayLater(session: TestSession): TestSession {
  session.account.pay({ seq: 2n });
  return afterADay(session);
}

export function withoutPayeeAccount(session: TestSession): TestSession {
  session.chain.run(session.closePayeeAccount());
  return session;
}

/** Sends lamports to each address. */
export function give(chain: TestChain, lamports: number, ...addresses: PublicKey[]): void {
  const from = chain.feePayer.publicKey;
  chain.run(...addresses.map((toPubkey) => SystemProgram.transfer({ fromPubkey: from, toPubkey, lamports })));
}

/** The same a day later. */
export function afterADay<T extends { chain: TestChain }>(one: T): T {
  one.chain.setTime(one.chain.now + DAY);
  return one;
}

/** An open session of two days, whose payee is one of 128 counterparties. */
export function openInLists(chain: TestChain): TestSession {
  const session = sessionInLists(chain);
  chain.run(session.open({ category: CATEGORY, expiresInSeconds: 2 * DAY }));
  return session;
}

/** A channel purse of two days of a member of a fleet that has spent. */
export function membersPurse(chain: TestChain): TestChannelPurse {
  const purse = aChannelPurse(aFleet(chain).aMember(), { expiresInSeconds: 2 * DAY });
  purse.account.pay();
  return purse;
}

/** Both addresses hold lamports before. */
export function funded(chain: TestChain, session: TestSession, lamports: number): TestSession {
  give(chain, lamports, session.address, session.escrow);
  return session;
}

/** All rules are checked, both lists are read to their end, all buckets are released and all nonces cleared. */
export function costliestOpening(chain: TestChain, lamports: number, policy: PolicyChange = { maxDailySpend: 500n }): TestSession {
  const session = sessionInLists(chain, 1_024n);
  session.account.change({ ...policy, escalationThreshold: 100n });
  chain.setTime(chain.now + DAY);
  return funded(chain, session, lamports);
}

/** An account and its fleet, each with lists of this length and with every limit. */
export function memberUnderAllRules(chain: TestChain, counterparties: number, categories: number): TestAccount {
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

export const longestLists = () => ({ allowedCounterparties: someAddresses(1_024), categories: someCategories(32) });

export function memberOfLongLists(chain: TestChain): TestAccount {
  const fleet = aFleet(chain);
  setLists(fleet, longestLists());
  return fleet.aMember();
}

/** Commits the longest lists, for which there is room. */
export function longCommit(fleet: TestFleet): TransactionInstruction {
  const lists = new StagedLists(fleet, { ...longestLists(), maxDailySpend: 5n, paused: true }).stage();
  for (let step = 0; step < GROWTHS; step++) fleet.chain.run(lists.grow());
  return lists.commit();
}

export const orderUnderAllRules = (chain: TestChain, counterparties: number): Partial<Order> => ({
  destination: lastOf(chain, counterparties),
  memoHash: Buffer.alloc(32, 1),
});

export function memberSession(chain: TestChain): TestSession {
  const session = new TestSession(aFleet(chain).aMember(), 1n);
  chain.run(session.open({ expiresInSeconds: 2 * DAY }));
  session.account.seq = 1n;
  return session;
}

export function draftOf(
  owner: TestAccount,
  use: (owner: TestAccount, draft: Draft) => TransactionInstruction,
  state: 'staged' | 'absent' = 'staged',
): TransactionInstruction {
  const { draft } = owner.aDraft({ counterparties: 128, categories: 32 });
  if (state === 'staged') owner.stage(draft);
  return use(owner, draft);
}

export function paid(chain: TestChain, counterparties: number, categories: number, approved: boolean): TransactionInstruction {
  const spender = withLists(chain, counterparties, categories);
  if (categories === 0) spender.change({ categories: null });
  spender.change({ maxSingleTransfer: 500n, maxDailySpend: 500n, escalationThreshold: 400n });
  return spender.transfer({ destination: lastOf(chain, counterparties), category: categories > 0 ? CATEGORY : null, approved });
}

/** Compute units of accounts: their creation, policy, keys, transfers and closing. */
import { createAssociatedTokenAccountIdempotentInstruction, createMintToInstruction } from '@solana/spl-token';
import { PROGRAM_ID } from '../../../../libs/chain/src/program/idl';
import { instruction } from '../../../../libs/chain/src/program/instruction';
import { aPlan, anAccount, someAddresses } from './account';
import { aFleet } from './fleet';
import { GROWTHS, StagedLists, setLists } from './fleet-lists';
import {
  DAY,
  CATEGORY,
  withLists,
  lastOf,
  commit,
  withFullWindow,
  changeToAccepted,
  costliestViolation,
  charged,
  paused,
  sweptLater,
  memberUnderAllRules,
  longestLists,
  memberOfLongLists,
  longCommit,
  orderUnderAllRules,
  draftOf,
  paid,
  type Cases,
  give,
  afterADay,
} from './compute-states';

/** Compute units of accounts: their creation, policy, keys, transfers and closing. */
export const ACCOUNT_CASES: Cases = {
  createAccount: [
    ['create_account', (chain) => aPlan(chain).create()],
    [
      'create_account, token account exists',
      (chain) => {
        const plan = aPlan(chain);
        chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, plan.tokenAccount, plan.address, chain.mint));
        return plan.create();
      },
    ],
    [
      'create_account, lamports on all addresses',
      (chain) => {
        const plan = aPlan(chain);
        give(chain, 1_000_000, plan.address, plan.policy, plan.tokenAccount);
        return plan.create();
      },
    ],
    [
      'create_account, in a fleet',
      (chain) => {
        const fleet = aFleet(chain);
        return fleet.createIn(aPlan(chain, { operator: fleet.operator }));
      },
    ],
  ],
  setPolicy: [
    ['set_policy, one limit', (chain) => anAccount(chain).setPolicy({ maxDailySpend: 5n })],
    ['set_policy, pause alone', (chain) => anAccount(chain).setPolicy({ paused: true })],
    ['set_policy, pause alone, 128 + 32 before', (chain) => withLists(chain, 128, 32).setPolicy({ paused: true })],
    ['set_policy, 10 counterparties', (chain) => anAccount(chain).setPolicy({ allowedCounterparties: someAddresses(10) })],
    ['set_policy, 20 counterparties', (chain) => anAccount(chain).setPolicy({ allowedCounterparties: someAddresses(20) })],
    ['set_policy, 128 + 32 cleared', (chain) => withLists(chain, 128, 32).setPolicy({ allowedCounterparties: null, categories: null })],
    [
      'set_policy fails: another version',
      (chain) => withLists(chain, 128, 32).setPolicy({ paused: true }, { expectedVersion: 9n }),
      'PolicyVersionMismatch',
    ],
    ['set_policy, pause alone, with a charge open', (chain) => charged(chain).setPolicy({ paused: true })],
  ],
  commitDraft: [
    ['set_policy, 128 + 32 by a draft', (chain) => commit(chain, anAccount(chain))],
    ['set_policy, 128 + 32 by a draft, 128 + 32 before', (chain) => commit(chain, withLists(chain, 128, 32))],
    ['set_policy, 128 + 32 by a draft and paused, with a charge open', (chain) => paused(chain, charged(chain))],
    ['fleet: set_policy, 1,024 + 32 by a draft', (chain) => longCommit(aFleet(chain))],
    [
      'fleet: set_policy, 1,024 + 32 by a draft, 1,024 + 32 before',
      (chain) => {
        const fleet = aFleet(chain);
        setLists(fleet, longestLists());
        return longCommit(fleet);
      },
    ],
    ['fleet: set_policy, 128 + 32 by a draft, with an open charge', (chain) => paused(chain, charged(chain, aFleet(chain).aMember()))],
  ],
  policyDraft: [
    ['create_policy_draft, 128 + 32', (chain) => draftOf(anAccount(chain), (owner, draft) => owner.createDraft(draft), 'absent')],
    [
      'create_policy_draft, lamports on its address',
      (chain) =>
        draftOf(
          anAccount(chain),
          (owner, draft) => {
            give(chain, 1_000_000, draft.address);
            return owner.createDraft(draft);
          },
          'absent',
        ),
    ],
    ['write_policy_draft, 768 bytes', (chain) => draftOf(anAccount(chain), (owner, draft) => owner.writeDraft(draft))],
    ['close_policy_draft', (chain) => draftOf(anAccount(chain), (owner, draft) => owner.closeDraft(draft))],
  ],
  keyChange: [
    ['rotate_authority', (chain) => anAccount(chain).rotateAuthority(chain.aKey().publicKey)],
    ['set_operator', (chain) => anAccount(chain).setOperator(chain.aKey().publicKey)],
    ['set_operator, accepted', (chain) => changeToAccepted(anAccount(chain))],
    [
      'rotate_authority fails: wrong operator',
      (chain) => anAccount(chain).rotateAuthority(chain.aKey().publicKey, { operator: chain.aKey().publicKey }),
      'WrongOperator',
    ],
    [
      'set_operator fails: the authority',
      (chain) => {
        const owner = anAccount(chain);
        return owner.setOperator(owner.authority.publicKey);
      },
      'KeysNotDistinct',
    ],
    ['rotate_authority, with a charge open', (chain) => charged(chain).rotateAuthority(chain.aKey().publicKey)],
  ],
  transfer: [
    ['transfer, no lists', (chain) => anAccount(chain).transfer()],
    ['transfer, no lists, operator signs', (chain) => anAccount(chain).transfer({ approved: true })],
    ['transfer, 10 counterparties', (chain) => paid(chain, 10, 0, false)],
    ['transfer, 10 counterparties, operator signs', (chain) => paid(chain, 10, 0, true)],
    ['transfer, 128 + 32', (chain) => paid(chain, 128, 32, false)],
    ['transfer, 128 + 32, operator signs', (chain) => paid(chain, 128, 32, true)],
    [
      'transfer, 128 + 32, after a day and 1,024 nonces',
      (chain) => {
        const listed = { ...orderUnderAllRules(chain, 128), category: CATEGORY };
        return afterADay(withLists(chain, 128, 32)).transfer({ ...listed, seq: 1_024n, approved: true }); // 96 buckets to let go, one by one
      },
    ],
    ['transfer violates: daily limit, worst case', costliestViolation, 'MaxDailySpend'],
    [
      'transfer violates: 128 counterparties',
      (chain) => withLists(chain, 128, 32).transfer({ category: CATEGORY, approved: true }),
      'AllowedCounterparties',
    ],
    ['transfer violates: paused', (chain) => anAccount(chain, { policy: { paused: true } }).transfer(), 'Paused'],
    ['transfer fails: wrong authority', (chain) => anAccount(chain).transfer({}, { authority: chain.aKey().publicKey }), 'WrongAuthority'],
    ['transfer, with a charge open', (chain) => charged(chain).transfer()],
    ['fleet: transfer, no lists', (chain) => aFleet(chain).aMember().transfer()],
    ['fleet: transfer, all rules', (chain) => memberUnderAllRules(chain, 10, 4).transfer(orderUnderAllRules(chain, 10))],
    [
      'fleet: transfer, worst case',
      (chain) => {
        const member = memberUnderAllRules(chain, 128, 32);
        const order = { ...orderUnderAllRules(chain, 128), category: CATEGORY };
        member.pay(order);
        chain.setTime(chain.now + DAY); // 96 buckets to let go, in two windows
        return member.transfer({ ...order, seq: 1_025n });
      },
    ],
    [
      'fleet: transfer, 1,024 counterparties and 32 categories',
      (chain) => memberOfLongLists(chain).transfer({ destination: lastOf(chain, 1_024), category: CATEGORY }),
    ],
    [
      'fleet: transfer violates: 1,024 counterparties',
      (chain) => memberOfLongLists(chain).transfer({ category: CATEGORY }),
      'FleetAllowedCounterparties',
    ],
  ],
  sweepClosedAccount: [['sweep_closed_account', sweptLater]],
  closeAccount: [
    ['close_account', (chain) => anAccount(chain, { balance: 0n }).close()],
    [
      'close_account, with a balance',
      (chain) => {
        const owner = anAccount(chain);
        return owner.close({ destination: owner.payee });
      },
    ],
  ],
  returnSurplusRent: [
    [
      'return_surplus_rent, of an account with its policy',
      (chain) => {
        const { address, policy, creator } = anAccount(chain);
        give(chain, 1_000, address, policy);
        return instruction(PROGRAM_ID, 'return_surplus_rent', { owner: address, policy, creator: creator.publicKey }, {});
      },
    ],
  ],
  spending: [
    ['spending, unused', (chain) => anAccount(chain).spending()],
    ['spending, every bucket used', (chain) => withFullWindow(anAccount(chain, { policy: { maxDailySpend: 500n } })).spending()],
  ],
  mintTo: [
    [
      "the token program's mint_to",
      (chain) => createMintToInstruction(chain.mint, anAccount(chain).tokenAccount, chain.freezeAuthority.publicKey, 5n),
    ],
  ],
  growPolicy: [
    [
      'fleet: grow_policy, for 1,024 + 32',
      (chain) => {
        const lists = new StagedLists(aFleet(chain), longestLists()).stage();
        return Array.from({ length: GROWTHS }, () => lists.grow());
      },
    ],
  ],
};

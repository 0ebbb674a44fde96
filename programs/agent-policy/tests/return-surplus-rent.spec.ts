/** return_surplus_rent: what was paid above today's minimum goes back to the creator, whoever asks for it. */
import type { PublicKey } from '@solana/web3.js';
import { PROGRAM_ID } from '../../../libs/chain/src/program/idl';
import { instruction } from '../../../libs/chain/src/program/instruction';
import { anAccount, SPACE } from './support/account';
import { aChain, type TestChain } from './support/chain';
import { aFleet, FLEET_SPACE } from './support/fleet';

const SURPLUS = 5_000n;

describe('return_surplus_rent', () => {
  let chain: TestChain;
  beforeEach(() => {
    chain = aChain();
  });

  const giveBack = (owner: PublicKey, policy: PublicKey | undefined, creator: PublicKey) =>
    instruction(PROGRAM_ID, 'return_surplus_rent', { owner, policy, creator }, {});
  /** As if rent had been dearer when it was created. */
  const add = (address: PublicKey, lamports = SURPLUS) => {
    const account = chain.account(address);
    chain.put(address, { ...account, lamports: account.lamports + lamports });
  };

  it.each(['account', 'fleet'])('gives back what the %s and its policy hold above the minimum, once, to the creator, by anyone', (kind) => {
    const creator = chain.aKey();
    const owner = kind === 'account' ? anAccount(chain, { creator }) : aFleet(chain);
    const space = kind === 'account' ? SPACE.account : FLEET_SPACE.fleet;
    const recipient = owner.creator.publicKey;
    for (const address of [owner.address, owner.policy]) add(address);
    const stranger = chain.aKey();
    const send = () => chain.sendAs(stranger, giveBack(owner.address, owner.policy, recipient));
    const before = chain.lamports(recipient);
    expect(send().events).toMatchObject([{ name: 'SurplusRentReturned', data: { lamports: 2n * SURPLUS } }]);
    expect(chain.lamports(recipient) - before).toBe(2n * SURPLUS);
    expect([chain.lamports(owner.address), chain.lamports(owner.policy)]).toEqual([chain.rent(space), chain.rent(SPACE.policy)]);
    expect(send()).toMatchObject({ error: undefined, events: [{ data: { lamports: 0n } }] });
  });

  it('gives nothing to another key than the creator, and none of another owner’s policy', () => {
    const [account, other] = [anAccount(chain), anAccount(chain)];
    add(account.address);
    const thief = chain.aKey().publicKey;
    expect(chain.errorOf(giveBack(account.address, account.policy, thief))).toBe('WrongRentRecipient');
    expect(chain.errorOf(giveBack(account.address, other.policy, account.creator.publicKey))).toBe('WrongPolicy');
    expect(chain.errorOf(giveBack(account.policy, undefined, account.creator.publicKey))).toBe('AccountDiscriminatorMismatch');
    expect(chain.errorOf(giveBack(account.tokenAccount, undefined, account.creator.publicKey))).not.toBe('none');
  });

  it('a member without a policy of its own leaves it out', () => {
    const member = aFleet(chain).aCreatedMember();
    add(member.address);
    const before = chain.lamports(member.creator.publicKey);
    expect(chain.sendAs(chain.aKey(), giveBack(member.address, undefined, member.creator.publicKey)).error).toBeUndefined();
    expect(chain.lamports(member.creator.publicKey) - before).toBe(SURPLUS);
  });
});

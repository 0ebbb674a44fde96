/** A fleet's policy with up to 1,024 counterparties: staged, committed, searched, and shrunk again. */
import { PublicKey } from '@solana/web3.js';
import { SPACE, anAccount, someAddresses, someCategories } from './support/account';
import { aChain, type TestChain } from './support/chain';
import { type TestFleet, aFleet } from './support/fleet';
import { GROWTHS, StagedLists, setLists } from './support/fleet-lists';

const MOST = { allowedCounterparties: someAddresses(1_024), categories: someCategories(32) };
const SPACE_OF_MOST = SPACE.policy + 1_056 * SPACE.entry;

describe('long lists of a fleet', () => {
  let chain: TestChain;
  let fleet: TestFleet;

  beforeEach(() => {
    chain = aChain();
    fleet = aFleet(chain);
  });

  const payee = (address: string | undefined) => chain.aTokenAccount({ owner: new PublicKey(address ?? PublicKey.default) });
  const growths = (lists: StagedLists, count = GROWTHS) => Array.from({ length: count }, () => lists.grow());

  it('set_policy gives a fleet 1,024 counterparties and 32 categories, at their rent', () => {
    setLists(fleet, { ...MOST, maxDailySpend: 7n });
    expect(fleet.readPolicy()).toMatchObject({ ...MOST, maxDailySpend: 7n, version: 2n });
    expect(chain.account(fleet.policy).data).toHaveLength(SPACE_OF_MOST);
    expect(chain.lamports(fleet.policy)).toBe(chain.rent(SPACE_OF_MOST));
  });

  it('create_policy_draft rejects 1,025 counterparties of a fleet', () => {
    const lists = new StagedLists(fleet, { allowedCounterparties: someAddresses(1_025) });
    expect(chain.errorOf(lists.create())).toBe('TooManyCounterparties');
  });

  it.each([
    ['as the service writes them', undefined],
    ['in descending order', (entries: Uint8Array[]) => [...entries].reverse()],
    ['in a random order', (entries: Uint8Array[]) => [...entries].sort((one, other) => (one[9] ?? 0) - (other[9] ?? 0))],
  ])('a member pays the first, any and the last of 1,024 counterparties, and no other, staged %s', (_what, order) => {
    setLists(fleet, { allowedCounterparties: MOST.allowedCounterparties }, order);
    const member = fleet.aMember();
    for (const index of [0, 1, 511, 512, 1_022, 1_023]) {
      expect(member.errorOf({ destination: payee(MOST.allowedCounterparties[index]) })).toBe('none');
    }
    expect(member.errorOf({ destination: new PublicKey(MOST.allowedCounterparties[7] ?? '') })).toBe('InvalidDestination');
    expect(member.errorOf()).toBe('FleetAllowedCounterparties');
  });

  it('a member pays a token account that is listed itself, beside 1,023 other counterparties', () => {
    const destination = chain.aTokenAccount();
    setLists(fleet, { allowedCounterparties: [...someAddresses(1_023), destination.toBase58()] });
    expect(fleet.aMember().errorOf({ destination })).toBe('none');
  });

  it('set_policy keeps one long list while it replaces the other', () => {
    setLists(fleet, MOST);
    setLists(fleet, { categories: ['food'] });
    expect(fleet.readPolicy()).toMatchObject({ ...MOST, categories: ['food'] });
    setLists(fleet, { allowedCounterparties: someAddresses(3) });
    expect(fleet.readPolicy()).toMatchObject({ allowedCounterparties: someAddresses(3), categories: ['food'] });
    setLists(fleet, { allowedCounterparties: MOST.allowedCounterparties });
    expect(fleet.readPolicy()).toMatchObject({ ...MOST, categories: ['food'] });
  });

  it('set_policy returns the rent of lists that become shorter or end', () => {
    setLists(fleet, MOST);
    for (const [counterparties, allowedCounterparties] of [
      [5, someAddresses(5)],
      [0, null],
    ] as const) {
      chain.run(fleet.setPolicy({ allowedCounterparties }));
      const left = SPACE.policy + (counterparties + 32) * SPACE.entry;
      expect([chain.account(fleet.policy).data.length, chain.lamports(fleet.policy)]).toEqual([left, chain.rent(left)]);
      expect(fleet.readPolicy()).toMatchObject({ allowedCounterparties, categories: MOST.categories });
    }
  });

  it('set_policy changes nothing without the room for the lists of its draft', () => {
    const lists = new StagedLists(fleet, MOST).stage();
    const before = chain.account(fleet.policy).data;
    expect(chain.errorOf(...growths(lists, GROWTHS - 1), lists.commit())).toBe('InvalidRealloc');
    expect(chain.account(fleet.policy).data).toEqual(before);
  });

  it('set_policy returns the rent of room that was made and is not needed', () => {
    const lists = new StagedLists(fleet, MOST).stage();
    chain.run(...growths(lists, 2));
    expect(fleet.aMember().errorOf()).toBe('none');
    chain.run(fleet.setPolicy({ paused: true }));
    expect(chain.lamports(fleet.policy)).toBe(chain.rent(SPACE.policy));
  });

  it('grow_policy makes no more room than the draft needs, whoever pays for it', () => {
    const lists = new StagedLists(fleet, MOST).stage();
    const stranger = chain.aKey();
    chain.run(...Array.from({ length: 9 }, () => lists.grow({ payer: stranger.publicKey })));
    expect(chain.account(fleet.policy).data).toHaveLength(SPACE_OF_MOST);
    chain.run(lists.commit());
    expect(fleet.readPolicy()).toMatchObject(MOST);
  });

  it('grow_policy rejects the draft of another owner, and one of another version', () => {
    const lists = new StagedLists(fleet, MOST).stage();
    for (const policy of [aFleet(chain, { operator: fleet.operator }).policy, anAccount(chain).policy]) {
      expect(chain.errorOf(lists.grow({ policy }))).toBe('WrongDraft');
    }
    chain.run(fleet.setPolicy({ maxDailySpend: 5n }));
    expect(chain.errorOf(lists.grow())).toBe('WrongDraft');
  });

  it('grow_policy rejects a policy as the draft, and a policy of another layout version', () => {
    const lists = new StagedLists(fleet, MOST).stage();
    expect(chain.errorOf(lists.grow({ draft: fleet.policy }))).toBe('AccountDiscriminatorMismatch');
    chain.patch(fleet.policy, (data) => data.writeUInt8(2, 8));
    expect(chain.errorOf(lists.grow())).toBe('UnsupportedVersion');
  });

  it('write_policy_draft rejects a part of a long draft that has not grown so far', () => {
    const lists = new StagedLists(fleet, MOST);
    chain.run(lists.create());
    expect(chain.lamports(lists.draft)).toBe(chain.rent(SPACE.draft + 1_056 * SPACE.entry));
    expect(chain.errorOf(lists.write(768 * 40))).toBe('DraftOutOfBounds');
  });

  it('set_policy rejects a long draft that is not complete', () => {
    const lists = new StagedLists(fleet, MOST);
    for (const step of [lists.create(), lists.write(0), lists.write(768)]) chain.run(step);
    expect(chain.errorOf(...growths(lists), lists.commit())).toBe('DraftHashMismatch');
  });
});

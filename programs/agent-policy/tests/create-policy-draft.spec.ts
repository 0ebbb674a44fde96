/** `create_policy_draft`: allocates an account for long lists. */
import { PublicKey } from '@solana/web3.js';
import { SPACE, anAccount, type TestAccount } from './support/account';
import { START, aChain, type TestChain } from './support/chain';
import { plain } from './support/outcome';
import { Addresses } from '../../../libs/chain/src/program/addresses';
import { PROGRAM_ID, coder } from '../../../libs/chain/src/program/idl';

describe('create_policy_draft', () => {
  let chain: TestChain;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
  });

  it.each([
    ['129 counterparties', { counterparties: 129, categories: 0 }, 'TooManyCounterparties'],
    ['33 categories', { counterparties: 0, categories: 33 }, 'TooManyCategories'],
  ])('create_policy_draft rejects %s', (_what, lists, error) => {
    expect(chain.errorOf(account.createDraft(account.aDraft(lists).draft))).toBe(error);
  });

  it('create_policy_draft rejects the largest counts that its arguments can hold', () => {
    const { draft } = account.aDraft();
    expect(chain.errorOf(account.createDraft({ ...draft, counterparties: 65_535, categories: 65_535 }))).toBe('TooManyCounterparties');
  });

  it.each(['targetVersion', 'hash', 'account'])('create_policy_draft rejects an address that is not derived from this %s', (what) => {
    const { draft } = account.aDraft();
    const wrong = {
      targetVersion: account.aDraft({ targetVersion: 9n }),
      hash: account.aDraft({ counterparties: 7 }),
      account: anAccount(chain).aDraft(),
    }[what]?.draft;
    expect(chain.errorOf(account.createDraft({ ...draft, address: wrong?.address ?? PublicKey.default }))).toBe('ConstraintSeeds');
  });

  it('create_policy_draft rejects a draft that exists', () => {
    const { draft } = account.aDraft();
    chain.run(account.createDraft(draft));
    expect(chain.errorOf(account.createDraft(draft))).toBe('Custom(0)'); // the system program's AccountAlreadyInUse
  });

  it('create_policy_draft rejects a policy as the account', () => {
    const { draft } = account.aDraft();
    const address = new Addresses(PROGRAM_ID, chain.mint).draft(account.policy, draft.targetVersion, draft.hash);
    expect(chain.errorOf(account.createDraft({ ...draft, address }, { owner: account.policy }))).toBe('AccountDiscriminatorMismatch');
  });

  it('create_policy_draft stores the change that it is for, in exactly the space that it needs', () => {
    const { draft } = account.aDraft({ counterparties: 128, categories: 32 });
    chain.run(account.createDraft(draft));
    const { data } = chain.account(draft.address);
    expect(data).toHaveLength(SPACE.draft + 160 * SPACE.entry);
    expect(plain(coder.accounts.decode('PolicyDraft', data))).toMatchObject({
      owner: account.address.toBase58(),
      rent_payer: chain.feePayer.publicKey.toBase58(),
      target_version: 2n,
      content_hash: draft.hash.toString('hex'),
      created_at: BigInt(START),
      counterparty_count: 128,
      category_count: 32,
    });
  });

  it('create_policy_draft charges the rent to the payer', () => {
    const payer = chain.aKey();
    const before = chain.lamports(payer.publicKey);
    chain.run(account.createDraft(account.aDraft().draft, { payer: payer.publicKey }));
    expect(before - chain.lamports(payer.publicKey)).toBe(chain.rent(SPACE.draft + 3 * SPACE.entry));
  });

  it('create_policy_draft lets two changes be staged side by side', () => {
    for (const counterparties of [3, 4]) account.stage(account.aDraft({ counterparties }).draft);
    const { draft, change } = account.aDraft({ counterparties: 3 });
    chain.run(account.setPolicy(change, { draft }));
    expect(account.readPolicy().allowedCounterparties).toHaveLength(3);
  });
});

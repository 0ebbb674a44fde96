/** `write_policy_draft`: fills a draft, within its bounds. */
import { SPACE, anAccount, type TestAccount } from './support/account';
import type { Draft } from './support/account-instructions';
import { aChain, type TestChain } from './support/chain';

describe('write_policy_draft', () => {
  let chain: TestChain;
  let account: TestAccount;
  let draft: Draft;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
    ({ draft } = account.aDraft({ counterparties: 2, categories: 1 }));
    chain.run(account.createDraft(draft));
  });

  const written = () => chain.account(draft.address).data.subarray(SPACE.draft);

  it.each([
    ['a chunk one byte behind the end', 96, 1],
    ['a chunk that begins inside and ends outside', 95, 2],
    ['a chunk longer than the draft', 0, 97],
    ['the largest offset', 2 ** 32 - 1, 1],
    ['an offset that would wrap around to the header', 2 ** 32 - SPACE.draft, 32],
    ['an offset that would wrap around to the end', 2 ** 32 - 32, 64],
  ])('write_policy_draft rejects %s', (_what, offset, length) => {
    const before = chain.account(draft.address).data;
    expect(chain.errorOf(account.writeDraft(draft, { offset, content: Buffer.alloc(length, 1) }))).toBe('DraftOutOfBounds');
    expect(chain.account(draft.address).data).toEqual(before);
  });

  it('write_policy_draft rejects another account’s draft', () => {
    const other = anAccount(chain);
    expect(chain.errorOf(other.writeDraft(draft))).toBe('WrongDraft');
  });

  it('write_policy_draft rejects a policy as the draft', () => {
    expect(chain.errorOf(account.writeDraft(draft, {}, { draft: account.policy }))).toBe('AccountDiscriminatorMismatch');
  });

  it('write_policy_draft rejects a copy of the draft that another program owns', () => {
    const copy = chain.copy(draft.address, chain.aKey().publicKey);
    expect(chain.errorOf(account.writeDraft(draft, {}, { draft: copy }))).toBe('AccountOwnedByWrongProgram');
  });

  it('write_policy_draft rejects a draft that does not exist', () => {
    const { draft: missing } = account.aDraft({ counterparties: 9 });
    expect(chain.errorOf(account.writeDraft(missing))).toBe('AccountNotInitialized');
  });

  it('write_policy_draft writes the last byte', () => {
    chain.run(account.writeDraft(draft, { offset: 95, content: Buffer.of(7) }));
    expect(written()).toEqual(Buffer.concat([Buffer.alloc(95), Buffer.of(7)]));
  });

  it('write_policy_draft accepts an empty chunk at the end', () => {
    expect(chain.errorOf(account.writeDraft(draft, { offset: 96, content: Buffer.alloc(0) }))).toBe('none');
  });

  it('write_policy_draft accepts chunks in any order, and twice', () => {
    const part = (offset: number) => account.writeDraft(draft, { offset, content: draft.content.subarray(offset, offset + 32) });
    chain.run(part(64), part(0), part(32), part(0));
    expect(written()).toEqual(draft.content);
  });

  it('write_policy_draft overwrites a chunk', () => {
    chain.run(account.writeDraft(draft, { content: Buffer.alloc(96, 1) }), account.writeDraft(draft));
    expect(written()).toEqual(draft.content);
  });
});

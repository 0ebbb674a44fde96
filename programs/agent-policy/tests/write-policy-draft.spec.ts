/** `write_policy_draft`: fills a draft, and never writes anywhere else. */
import { SPACE, anAccount, type Draft, type TestAccount } from './support/account';
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
    ['one byte behind the end', 96, 1],
    ['a chunk that begins inside and ends outside', 95, 2],
    ['a chunk longer than the draft', 0, 97],
    ['the largest offset', 2 ** 32 - 1, 1],
    ['an offset that would wrap around to the header', 2 ** 32 - SPACE.draft, 32],
    ['an offset that would wrap around to the end', 2 ** 32 - 32, 64],
  ])('refuses %s', (_what, offset, length) => {
    const before = chain.account(draft.address).data;
    expect(chain.refusal(account.writeDraft(draft, { offset, content: Buffer.alloc(length, 1) }))).toBe('DraftOutOfBounds');
    expect(chain.account(draft.address).data).toEqual(before);
  });

  it("refuses the other account's draft", () => {
    const other = anAccount(chain);
    expect(chain.refusal(other.writeDraft(draft))).toBe('WrongDraft');
  });

  it('refuses a policy in the place of the draft', () => {
    expect(chain.refusal(account.writeDraft(draft, {}, { draft: account.policy }))).toBe('AccountDiscriminatorMismatch');
  });

  it("refuses a copy of the draft under another program's name", () => {
    const copy = chain.copy(draft.address, chain.aKey().publicKey);
    expect(chain.refusal(account.writeDraft(draft, {}, { draft: copy }))).toBe('AccountOwnedByWrongProgram');
  });

  it('refuses a draft that does not exist', () => {
    const { draft: missing } = account.aDraft({ counterparties: 9 });
    expect(chain.refusal(account.writeDraft(missing))).toBe('AccountNotInitialized');
  });

  it('writes the last byte', () => {
    chain.run(account.writeDraft(draft, { offset: 95, content: Buffer.of(7) }));
    expect(written()).toEqual(Buffer.concat([Buffer.alloc(95), Buffer.of(7)]));
  });

  it('writes nothing at the end', () => {
    expect(chain.refusal(account.writeDraft(draft, { offset: 96, content: Buffer.alloc(0) }))).toBe('none');
  });

  it('takes parts in any order, and twice', () => {
    const part = (offset: number) => account.writeDraft(draft, { offset, content: draft.content.subarray(offset, offset + 32) });
    chain.run(part(64), part(0), part(32), part(0));
    expect(written()).toEqual(draft.content);
  });

  it('lets a part be overwritten', () => {
    chain.run(account.writeDraft(draft, { content: Buffer.alloc(96, 1) }), account.writeDraft(draft));
    expect(written()).toEqual(draft.content);
  });
});

/** `set_operator`: the old operator signs, the new one signs too or has accepted. */
import { AccountState } from '@solana/spl-token';
import { ComputeBudgetProgram, Ed25519Program, SYSVAR_INSTRUCTIONS_PUBKEY, type TransactionInstruction } from '@solana/web3.js';
import { acceptanceText, verifyAcceptance } from '../../../libs/chain/src/accounts/acceptance';
import { anAccount, type TestAccount } from './support/account';
import { aChain, type Key, type TestChain } from './support/chain';

describe('set_operator', () => {
  let chain: TestChain;
  let account: TestAccount;
  let next: Key;

  beforeEach(() => {
    chain = aChain();
    account = anAccount(chain);
    next = chain.aKey();
  });

  it('set_operator rejects the authority as the operator', () => {
    expect(chain.errorOf(account.setOperator(account.authority.publicKey))).toBe('KeysNotDistinct');
  });

  it('set_operator rejects the creator as the operator', () => {
    expect(chain.errorOf(account.setOperator(account.creator.publicKey))).toBe('KeysNotDistinct');
  });

  it('set_operator rejects a policy as the account', () => {
    expect(chain.errorOf(account.setOperator(next.publicKey, { account: account.policy }))).toBe('AccountDiscriminatorMismatch');
  });

  it('set_operator takes a key that the authority declared as the delegate of an earlier charge', () => {
    chain.run(account.approveCharge({ seq: 1n, delegate: next.publicKey }));
    chain.run(account.finishCharge(1n));
    expect(chain.errorOf(account.setOperator(next.publicKey))).toBe('none');
  });

  it('set_operator finishes the open charge, also one whose delegate is the new operator', () => {
    chain.run(account.approveCharge({ seq: 1n, amount: 100n, delegate: next.publicKey }));
    expect(chain.errorOf(account.setOperator(next.publicKey))).toBe('none');
    expect(chain.errorOf(account.useCharge(next.publicKey, 1n))).not.toBe('none');
    expect(account.read()).toMatchObject({ reserved: 0n, controller: next.publicKey.toBase58() });
  });

  it('set_operator rejects an open charge without the accounts to finish it', () => {
    chain.run(account.approveCharge({ seq: 1n }));
    expect(chain.errorOf(account.setOperator(next.publicKey, { token_account: undefined }))).toBe('ChargeOpen');
  });

  it('set_operator keeps the charge of a frozen token account and makes it due at once', () => {
    chain.run(account.approveCharge({ seq: 1n }));
    chain.setTokens(account.tokenAccount, { state: AccountState.Frozen });
    expect(chain.errorOf(account.setOperator(next.publicKey))).toBe('none');
    chain.setTokens(account.tokenAccount, { state: AccountState.Initialized });
    expect(chain.errorOf(account.finishCharge(1n, { closer: chain.aKey().publicKey }))).toBe('none');
  });

  it('set_operator rejects the delegate of a charge that a frozen token account keeps open', () => {
    chain.run(account.approveCharge({ seq: 1n, delegate: next.publicKey }));
    chain.setTokens(account.tokenAccount, { state: AccountState.Frozen });
    expect(chain.errorOf(account.setOperator(next.publicKey))).toBe('KeysNotDistinct');
  });

  describe('after set_operator', () => {
    let old: Key;

    beforeEach(() => {
      old = account.operator;
      chain.run(account.setOperator(next.publicKey));
      account.operator = next;
    });

    it('the old operator cannot change the policy after set_operator', () => {
      expect(chain.errorOf(account.setPolicy({ maxDailySpend: 1n }, { accounts: { operator: old.publicKey } }))).toBe('WrongOperator');
    });

    it('the old operator cannot pause after set_operator', () => {
      expect(chain.errorOf(account.setPolicy({ paused: true }, { accounts: { operator: old.publicKey } }))).toBe('WrongOperator');
    });

    it('the old operator cannot approve after set_operator', () => {
      account.change({ escalationThreshold: 1n });
      expect(account.errorOf({ approved: true }, { operator: old.publicKey })).toBe('WrongOperator');
    });

    it('the old operator cannot call set_operator again', () => {
      expect(chain.errorOf(account.setOperator(old.publicKey, { operator: old.publicKey }))).toBe('WrongOperator');
    });

    it('the new operator sets the policy and approves after set_operator', () => {
      account.change({ escalationThreshold: 1n });
      expect(account.errorOf({ approved: true })).toBe('none');
    });

    it('the authority spends as before after set_operator', () => {
      expect(account.errorOf()).toBe('none');
    });
  });

  it('set_operator emits an event', () => {
    const { events } = chain.run(account.setOperator(next.publicKey));
    expect(events).toEqual([
      { name: 'OperatorChanged', data: { account: account.address.toBase58(), operator: next.publicKey.toBase58() } },
    ]);
  });

  it('a staged draft can be committed by the new operator after set_operator', () => {
    const { draft, change } = account.aDraft();
    account.stage(draft, 32);
    chain.run(account.setOperator(next.publicKey));
    account.operator = next;
    chain.run(account.writeDraft(draft), account.setPolicy(change, { draft }));
    expect(account.readPolicy().allowedCounterparties).toEqual(change.allowedCounterparties);
  });

  describe('by an acceptance', () => {
    const nonce = Buffer.alloc(16, 7);
    /** The acceptance that `by` signed: it takes the accounts of `of`. */
    const accepted = ({ by = next, of = account.operator }: { by?: Key; of?: Key } = {}): TransactionInstruction => {
      const text = acceptanceText(of.publicKey.toBase58(), nonce);
      return verifyAcceptance({ address: by.publicKey.toBase58(), text, signature: by.sign(Buffer.from(text)) });
    };
    const unsignedChange = (owner = account): TransactionInstruction =>
      owner.setOperator(next.publicKey, { instructions: SYSVAR_INSTRUCTIONS_PUBKEY });

    it('set_operator takes an operator that accepted and does not sign', () => {
      chain.run(accepted(), unsignedChange());
      account.operator = next;
      expect(chain.errorOf(account.setPolicy({ maxDailySpend: 1n }))).toBe('none');
    });

    it('set_operator takes one acceptance for several accounts of an operator, wherever it stands before them', () => {
      const other = anAccount(chain, { operator: account.operator });
      const between = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
      expect(chain.errorOf(accepted(), between, unsignedChange(), unsignedChange(other))).toBe('none');
    });

    it('set_operator rejects an operator that neither signs nor accepted', () => {
      expect(chain.errorOf(unsignedChange())).toBe('NotAccepted');
    });

    it('set_operator rejects an acceptance that stands after it', () => {
      expect(chain.errorOf(unsignedChange(), accepted())).toBe('NotAccepted');
    });

    it('set_operator rejects the acceptance of another key', () => {
      expect(chain.errorOf(accepted({ by: chain.aKey() }), unsignedChange())).toBe('NotAccepted');
    });

    it('set_operator rejects the acceptance of another operator’s accounts', () => {
      expect(chain.errorOf(accepted({ of: chain.aKey() }), unsignedChange())).toBe('NotAccepted');
    });

    it('set_operator rejects a signature of the new operator of another text', () => {
      const message = Buffer.from(acceptanceText(account.operator.publicKey.toBase58(), nonce).replace('agent-policy', 'Agent-policy'));
      const publicKey = next.publicKey.toBytes();
      const verified = Ed25519Program.createInstructionWithPublicKey({ publicKey, message, signature: next.sign(message) });
      expect(chain.errorOf(verified, unsignedChange())).toBe('NotAccepted');
    });

    it('set_operator with an acceptance still needs the old operator', () => {
      expect(
        chain.errorOf(
          accepted(),
          account.setOperator(next.publicKey, { operator: chain.aKey().publicKey, instructions: SYSVAR_INSTRUCTIONS_PUBKEY }),
        ),
      ).toBe('WrongOperator');
    });

    it('set_operator rejects another account in place of the instructions sysvar', () => {
      expect(chain.errorOf(accepted(), account.setOperator(next.publicKey, { instructions: account.address }))).toBe('ConstraintAddress');
    });
  });
});

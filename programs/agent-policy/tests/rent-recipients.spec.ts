/** A key that paid rent may become a program: what it paid for can still be closed, and no CPI pays lamports to it. */
import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { anAccount, type TestAccount } from './support/account';
import { idOf } from './support/account-instructions';
import { START, aChain, type Key, type TestChain } from './support/chain';
import type { Outcome } from './support/outcome';
import { CASES } from './support/compute';
import { HOUR, aPlannedSession, type TestSession } from './support/session';

describe('rent recipients whose key became a program', () => {
  let chain: TestChain;
  let thief: Key;
  let session: TestSession;
  let account: TestAccount;

  beforeEach(() => {
    chain = aChain();
    thief = chain.aKey();
    session = aPlannedSession(chain);
    ({ account } = session);
  });

  /** Opens the session with the thief as the rent payer, whose key then becomes a program. */
  function openByThief(): void {
    chain.run(session.open({}, { payer: thief.publicKey }));
    account.seq = 1n;
    chain.becomeProgram(thief.publicKey);
  }

  const rent_payer = () => ({ rent_payer: thief.publicKey });

  it.each<[string, () => TransactionInstruction[]]>([
    ['close_session', () => session.close(60n, {}, rent_payer())],
    [
      'close_session after a pause and a rotation',
      () => {
        account.change({ paused: true });
        return session.close(60n, { closer: account.operator.publicKey }, rent_payer());
      },
    ],
    [
      'close_expired_session',
      () => {
        chain.setTime(START + HOUR);
        return session.closeExpired(60n, {}, rent_payer());
      },
    ],
  ])('%s ends the session and pays the account after the rent payer became a program', (_name, end) => {
    openByThief();
    const before = chain.lamports(account.address);
    expect(chain.errorOf(...end())).toBe('none');
    expect(session.isOver).toBe(true);
    expect(session.balances()).toEqual([940n, 0n, 60n]);
    expect(chain.lamports(account.address)).toBeGreaterThan(before);
  });

  it('write_off_session ends an owed session after the rent payer became a program', () => {
    openByThief();
    chain.setTokens(session.payeeTokenAccount, { owner: chain.aKey().publicKey });
    chain.run(...session.close(60n, {}, rent_payer()));
    chain.setTime(START + 90 * 86_400);
    expect(chain.errorOf(session.writeOff(rent_payer()))).toBe('none');
    expect(session.isOver).toBe(true);
  });

  it('close_account closes the account of a creator whose key became a program and leaves the rent at its address', () => {
    const stolen = anAccount(chain, { balance: 0n, id: idOf(7), creator: thief });
    chain.becomeProgram(thief.publicKey);
    const before = chain.lamports(stolen.address);
    expect(chain.errorOf(stolen.close())).toBe('none');
    expect(chain.lamports(stolen.address)).toBeGreaterThan(before);
    expect([chain.exists(stolen.policy), chain.exists(stolen.tokenAccount)]).toEqual([false, false]);
  });

  it('set_policy shrinks the policy of a creator whose key became a program', () => {
    const stolen = anAccount(chain, { id: idOf(7), creator: thief, policy: { categories: ['a', 'b'] } });
    chain.becomeProgram(thief.publicKey);
    expect(chain.errorOf(stolen.setPolicy({ categories: null }))).toBe('none');
  });

  it('close_policy_draft and set_policy close a draft whose rent payer became a program', () => {
    const { draft, change } = account.aDraft();
    chain.run(account.createDraft(draft, { payer: thief.publicKey }), account.writeDraft(draft));
    const other = anAccount(chain);
    const second = other.aDraft();
    chain.run(other.createDraft(second.draft, { payer: thief.publicKey }), other.writeDraft(second.draft));
    chain.becomeProgram(thief.publicKey);
    expect(chain.errorOf(account.setPolicy(change, { draft, accounts: { draft_rent_recipient: thief.publicKey } }))).toBe('none');
    expect(chain.errorOf(other.closeDraft(second.draft, rent_payer()))).toBe('none');
  });
});

describe('lamports paid by CPI', () => {
  /** Recipients of lamports in inner instructions of the system and the token program. */
  function recipients({ called, accounts }: Outcome): string[] {
    return called.flatMap(({ programIdIndex, accounts: indexes, data }) => {
      const bytes = bs58.decode(data);
      const program = accounts[programIdIndex];
      const isSystem = program?.equals(SystemProgram.programId) && [0, 2].includes(bytes[0] ?? -1); // CreateAccount, Transfer
      const isClose = program?.equals(TOKEN_PROGRAM_ID) && bytes[0] === 9; // CloseAccount
      return isSystem || isClose ? [accounts[indexes[1] ?? -1]?.toBase58() ?? ''] : [];
    });
  }

  it.each(
    CASES.filter(({ error, ceiling }) => error === undefined && !['payeeTokenAccount', 'mintTo'].includes(ceiling)).map(
      (each) => [each.title, each] as const,
    ),
  )('%s: a CPI pays lamports only to addresses of the program', (_title, { prepare }) => {
    const chain = aChain();
    const outcome = chain.run(...[prepare(chain)].flat());
    // An address off the curve has no key: it belongs to a program, here the only one that made or named it.
    for (const recipient of recipients(outcome)) expect(PublicKey.isOnCurve(new PublicKey(recipient))).toBe(false);
  });

  it('the list of lamports paid by CPI includes account creations and session ends', () => {
    const chain = aChain();
    const session = aPlannedSession(chain);
    expect(recipients(chain.run(session.open()))).toEqual([session.address, session.escrow].map(String));
    expect(recipients(chain.run(...session.close(60n)))).toEqual([session.address.toBase58()]);
  });
});

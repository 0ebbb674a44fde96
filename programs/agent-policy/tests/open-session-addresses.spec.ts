/** `open_session` and the addresses of a session: their bumps, and what stood there before. */
import { createHash } from 'node:crypto';
import { TOKEN_PROGRAM_ID, createAssociatedTokenAccountIdempotentInstruction } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import { Addresses, u64, type Found } from '../../../libs/chain/src/program/addresses';
import { PROGRAM_ID } from '../../../libs/chain/src/program/idl';
import { SPACE, type TestAccount } from './support/account';
import { aChain, type TestChain } from './support/chain';
import { SESSION_SPACE, TestSession, aPlannedSession, aSession, expectUntouched, otherPayeeAccount } from './support/session';

describe('open_session and the addresses of a session', () => {
  let chain: TestChain;
  let account: TestAccount;
  let session: TestSession;

  beforeEach(() => {
    chain = aChain();
    session = aPlannedSession(chain);
    ({ account } = session);
  });

  describe('open_session with the client’s bumps', () => {
    const ALL = Array.from({ length: 256 }, (_, bump) => bump);

    it.each<['session' | 'escrow' | 'payee', string]>([
      ['session', 'WrongSession'],
      ['escrow', 'WrongEscrow'],
      ['payee', 'InvalidDestination'],
    ])('open_session rejects every bump that does not give the address, for the %s', (which, error) => {
      const errors = ALL.map((bump) => chain.simulate(session.open({ bumps: { [which]: bump } })).error);
      expect(errors).toEqual(ALL.map((bump) => (bump === session.bumps[which] ? undefined : error)));
    });

    it('open_session accepts another valid bump, and the nonce is used whatever the bump', () => {
      const other = new TestSession(account, 1n, session.payee, { session: 1, escrow: 1 });
      expect([other.address.equals(session.address), other.bumps.session < session.bumps.session]).toEqual([false, true]);
      expect(other.errorOf()).toBe('none');
      const twins = [
        session,
        other,
        new TestSession(account, 1n, session.payee, { session: 2 }),
        new TestSession(account, 1n, session.payee, { session: 1, escrow: 0 }),
      ];
      expect(twins.map((twin) => twin.errorOf())).toEqual(twins.map(() => 'AlreadyExecuted'));
      expect(other.books()).toEqual({ reserved: 100n, spent: 0n, open: 1 });

      chain.run(other.topUp());
      chain.run(...other.settle(60n));
      chain.run(...other.close(80n));
      expect(other.balances()).toEqual([920n, 0n, 80n]);
      expect([other.isOver, other.errorOf()]).toEqual([true, 'AlreadyExecuted']);
    });

    it('open_session pays no address of the payee but its associated token account', () => {
      const { address, bump } = otherPayeeAccount(session);
      const errorOf = () => session.errorOf({ bumps: { payee: bump } }, { payee_token_account: address });
      expect(errorOf()).toBe('InvalidDestination');
      chain.put(address, { owner: PublicKey.default, data: Buffer.alloc(0), lamports: chain.rent(SPACE.tokenAccount) });
      expect(errorOf()).toBe('InvalidDestination');
      expectUntouched(session);
    });

    it('open_session rejects a bump whose address is on the curve', () => {
      const [place, escrow] = [
        hashedOnCurve([Buffer.from('session'), account.address.toBytes(), u64(1n)]),
        hashedOnCurve([Buffer.from('escrow'), session.address.toBytes()]),
      ];
      const itsEscrow = new Addresses(PROGRAM_ID, account.mint).escrow(place.address);
      const attempts = [
        session.tryOpen({ bumps: { session: place.bump, escrow: itsEscrow.bump } }, { session: place.address, escrow: itsEscrow.address }),
        session.tryOpen({ bumps: { escrow: escrow.bump } }, { escrow: escrow.address }),
      ];
      for (const { error, logs } of attempts) {
        expect(error).toBe('ProgramFailedToComplete');
        expect(logs.join('\n')).toContain('Provided seeds do not result in a valid address');
      }
      expectUntouched(session);
    });
  });

  describe('open_session at addresses that were used before', () => {
    const rentOf = { address: () => chain.rent(SESSION_SPACE), escrow: () => chain.rent(SPACE.tokenAccount) };
    const send = (to: PublicKey, lamports: bigint) => chain.put(to, { owner: PublicKey.default, data: Buffer.alloc(0), lamports });

    describe.each(['address', 'escrow'] as const)('open_session after lamports were sent to the %s', (which) => {
      it.each<[string, (rent: bigint) => bigint]>([
        ['one lamport', () => 1n],
        ['one lamport less than the rent', (rent) => rent - 1n],
        ['the rent', (rent) => rent],
        ['more than the rent', (rent) => rent + 7n],
      ])(
        'open_session where an address already holds %s: adds what is missing, and refunds all of it to the rent payer',
        (_what, lamports) => {
          const rent = rentOf[which]();
          const sent = lamports(rent);
          send(session[which], sent);
          expect(session.errorOf()).toBe('none');
          expect(session.balances()).toEqual([900n, 100n, 0n]);
          expect(chain.lamports(session[which])).toBe(sent > rent ? sent : rent);

          const before = chain.lamports(chain.feePayer.publicKey);
          chain.run(...session.close(null));
          const surplus = sent > rent ? sent - rent : 0n;
          expect(chain.lamports(chain.feePayer.publicKey) - before).toBe(rentOf.address() + rentOf.escrow() + surplus - 5_000n * 2n);
          expect(session.isOver).toBe(true);
        },
      );
    });

    it('open_session after lamports were sent to both addresses charges the rent payer only the rest', () => {
      const payer = chain.aKey(rentOf.address() + rentOf.escrow() - 2n);
      for (const address of [session.address, session.escrow]) send(address, 1n);
      expect(session.errorOf({}, { payer: payer.publicKey })).toBe('none');
      expect(session.read()).toMatchObject({ rent_payer: payer.publicKey.toBase58() });
    });

    it('open_session ignores an associated token account that a stranger created for the session', () => {
      const { address } = new Addresses(PROGRAM_ID, account.mint).associated(session.address);
      chain.run(createAssociatedTokenAccountIdempotentInstruction(chain.feePayer.publicKey, address, session.address, account.mint));
      chain.setTokens(address, { amount: 7n });
      expect(session.errorOf({}, { escrow: address })).toBe('WrongEscrow');
      expect(session.errorOf()).toBe('none');
      expect(session.balances()).toEqual([900n, 100n, 0n]);
    });

    it.each<[string, 'address' | 'escrow', () => { owner: PublicKey; data: Buffer }]>([
      ['a session of the program', 'address', () => chain.account(aSession(chain).address)],
      ['an account of the program, all zeros', 'address', () => ({ owner: PROGRAM_ID, data: Buffer.alloc(SESSION_SPACE) })],
      ['an empty account of the program', 'address', () => ({ owner: PROGRAM_ID, data: Buffer.alloc(0) })],
      ['an account of the system program with data', 'address', () => ({ owner: PublicKey.default, data: Buffer.alloc(SESSION_SPACE) })],
      [
        'a token account of the session, with money in it',
        'escrow',
        () => chain.account(chain.aTokenAccount({ owner: session.address, amount: 7n })),
      ],
      ['a token account that is not initialised', 'escrow', () => ({ owner: TOKEN_PROGRAM_ID, data: Buffer.alloc(SPACE.tokenAccount) })],
      [
        'an account of the system program with data',
        'escrow',
        () => ({ owner: PublicKey.default, data: Buffer.alloc(SPACE.tokenAccount) }),
      ],
    ])('open_session rejects an address that holds %s, at the %s', (_what, which, there) => {
      chain.put(session[which], there());
      expect(session.errorOf()).toBe('AddressTaken');
      expect(account.read()).toMatchObject({ replay: { highest: 0n }, reserved: 0n, open_sessions: 0 });
    });
  });
});

/** The highest bump whose seeds give a point on the curve, for which a key may exist, and that point. */
function hashedOnCurve(seeds: Uint8Array[]): Found {
  for (let bump = 255; bump >= 0; bump--) {
    const parts = [...seeds, Uint8Array.of(bump), PROGRAM_ID.toBytes(), Buffer.from('ProgramDerivedAddress')];
    const address = new PublicKey(createHash('sha256').update(Buffer.concat(parts)).digest());
    if (PublicKey.isOnCurve(address.toBytes())) return { address, bump };
  }
  throw new Error('no bump gives a point on the curve');
}

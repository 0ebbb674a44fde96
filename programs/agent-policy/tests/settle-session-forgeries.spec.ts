/** `settle_session`: only one signature, in this very instruction, at the one place, immediately before. */
import {
  ComputeBudgetProgram,
  Ed25519Program,
  PublicKey,
  SYSVAR_INSTRUCTIONS_PUBKEY,
  SystemProgram,
  TransactionInstruction,
} from '@solana/web3.js';
import { aChain, type Key, type TestChain } from './support/chain';
import { aSession, type TestSession } from './support/session';

/** Where the parts lie, in the canonical instruction of 162 bytes. */
const AT = { publicKey: 16, signature: 48, message: 112 };
const THIS = 0xffff;

interface Layout {
  count: number;
  padding: number;
  signatureOffset: number;
  signatureIndex: number;
  publicKeyOffset: number;
  publicKeyIndex: number;
  messageOffset: number;
  messageSize: number;
  messageIndex: number;
}

const CANONICAL: Layout = {
  count: 1,
  padding: 0,
  signatureOffset: AT.signature,
  signatureIndex: THIS,
  publicKeyOffset: AT.publicKey,
  publicKeyIndex: THIS,
  messageOffset: AT.message,
  messageSize: 50,
  messageIndex: THIS,
};

function header(layout: Partial<Layout>): Buffer {
  const { count, padding, ...offsets } = { ...CANONICAL, ...layout };
  const bytes = Buffer.alloc(16);
  bytes.set([count, padding]);
  const { signatureOffset, signatureIndex, publicKeyOffset, publicKeyIndex, messageOffset, messageSize, messageIndex } = offsets;
  [signatureOffset, signatureIndex, publicKeyOffset, publicKeyIndex, messageOffset, messageSize, messageIndex].forEach((value, index) =>
    bytes.writeUInt16LE(value, 2 + 2 * index),
  );
  return bytes;
}

const ed25519 = (...data: Uint8Array[]): TransactionInstruction =>
  new TransactionInstruction({ programId: Ed25519Program.programId, keys: [], data: Buffer.concat(data) });

describe('settle_session, a forged voucher', () => {
  let chain: TestChain;
  let session: TestSession;
  let thief: Key;
  /** What the thief would like to be paid. */
  let wish: Buffer;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain);
    thief = chain.aKey();
    wish = session.voucher(100n);
  });

  /** `settle_session` that reads the instruction before it, whatever that is. */
  const settlement = (): TransactionInstruction[] => session.settle(null, {}, { instructions: SYSVAR_INSTRUCTIONS_PUBKEY });

  function expectRefused(refusal: string, ...instructions: TransactionInstruction[]): void {
    expect(chain.refusal(...instructions)).toBe(refusal);
    expect(session.balances()).toEqual([900n, 100n, 0n]);
    expect(session.read()).toMatchObject({ proven: 0n });
  }

  /** The session's key and the wish stand where they are read; the verified bytes stand elsewhere and are the thief's. */
  const bait = (layout: Partial<Layout>, ...rest: Uint8Array[]) =>
    ed25519(header(layout), session.voucherKey.publicKey.toBytes(), thief.sign(wish), wish, ...rest);

  it('in the canonical layout is refused by the runtime itself', () => {
    const outcome = chain.send(bait({}), ...settlement());
    expect(outcome.refusal).toBeDefined();
    expect(outcome.failedAt).toBe(0);
    expect(session.balances()).toEqual([900n, 100n, 0n]);
  });

  it('and a real one in the layout written by hand is paid', () => {
    expect(
      chain.refusal(ed25519(header({}), session.voucherKey.publicKey.toBytes(), session.voucherKey.sign(wish), wish), ...settlement()),
    ).toBe('none');
    expect(session.balances()).toEqual([900n, 0n, 100n]);
  });

  describe('whose verified part stands in another instruction', () => {
    /** A genuine signature of the thief's over a message of the thief's, in the first instruction. */
    const genuine = () => ed25519(header({}), thief.publicKey.toBytes(), thief.sign(wish), wish);

    it.each<[string, Partial<Layout>]>([
      ['the public key', { publicKeyIndex: 0 }],
      ['the signature and the public key', { signatureIndex: 0, publicKeyIndex: 0 }],
      ['the message and the public key', { messageIndex: 0, publicKeyIndex: 0 }],
      ['everything', { signatureIndex: 0, publicKeyIndex: 0, messageIndex: 0 }],
    ])('%s', (_what, layout) => {
      expectRefused('VoucherMalformed', genuine(), bait(layout), ...settlement());
    });

    it('the signature alone, and the message alone, of a genuine voucher', () => {
      const old = session.verify(100n);
      const key = session.voucherKey.publicKey.toBytes();
      const signature = session.voucherKey.sign(wish);
      expectRefused('VoucherMalformed', old, ed25519(header({ signatureIndex: 0 }), key, Buffer.alloc(64), wish), ...settlement());
      expectRefused('VoucherMalformed', old, ed25519(header({ messageIndex: 0 }), key, signature, wish), ...settlement());
    });

    it('of this one, named by its number', () => {
      const key = session.voucherKey.publicKey.toBytes();
      const signature = session.voucherKey.sign(wish);
      for (const name of ['signatureIndex', 'publicKeyIndex', 'messageIndex']) {
        expectRefused('VoucherMalformed', ed25519(header({ [name]: 0 }), key, signature, wish), ...settlement());
      }
    });
  });

  describe('whose verified part stands elsewhere in this instruction', () => {
    it('all of it, behind the bait', () => {
      const [key, signature] = [thief.publicKey.toBytes(), thief.sign(wish)];
      expectRefused(
        'VoucherMalformed',
        bait({ publicKeyOffset: 162, signatureOffset: 194, messageOffset: 258 }, key, signature, wish),
        ...settlement(),
      );
    });

    it('the public key alone', () => {
      expectRefused('VoucherMalformed', bait({ publicKeyOffset: 162 }, thief.publicKey.toBytes()), ...settlement());
    });

    it('a lower, genuine voucher behind a higher one', () => {
      const low = session.voucher(1n);
      const data = [session.voucherKey.publicKey.toBytes(), session.voucherKey.sign(low), wish, low];
      expectRefused('VoucherMalformed', ed25519(header({ messageOffset: 162 }), ...data), ...settlement());
    });
  });

  it('with none or two signatures', () => {
    // The runtime takes an instruction without a signature only if it is empty.
    expectRefused('VoucherMalformed', ed25519(Buffer.of(0, 0)), ...settlement());
    expect(chain.send(bait({ count: 0 }), ...settlement())).toMatchObject({ refusal: expect.any(String), failedAt: 0 });
    const genuine = [session.voucherKey.publicKey.toBytes(), session.voucherKey.sign(wish), wish];
    const second = header({ signatureOffset: 62, publicKeyOffset: 30, messageOffset: 126 }).subarray(2);
    const first = header({ count: 2, signatureOffset: 62, publicKeyOffset: 30, messageOffset: 126 });
    expectRefused('VoucherMalformed', ed25519(first, second, ...genuine), ...settlement());
  });

  it('with padding, trailing bytes, or a message of another length', () => {
    const key = session.voucherKey.publicKey.toBytes();
    const genuine = (message: Buffer, layout: Partial<Layout> = {}, ...rest: Uint8Array[]) =>
      ed25519(header({ messageSize: message.length, ...layout }), key, session.voucherKey.sign(message), message, ...rest);
    expectRefused('VoucherMalformed', genuine(wish, { padding: 1 }), ...settlement());
    expectRefused('VoucherMalformed', genuine(wish, {}, Buffer.of(0)), ...settlement());
    expectRefused('VoucherMalformed', genuine(wish.subarray(2)), ...settlement()); // the 48 bytes of older libraries
    expectRefused('VoucherMalformed', genuine(Buffer.concat([wish, Buffer.of(0)])), ...settlement());
    expectRefused('VoucherMalformed', genuine(wish.subarray(0, 49)), ...settlement());
  });

  describe('that does not stand immediately before', () => {
    const budget = () => ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
    const nothing = () => SystemProgram.transfer({ fromPubkey: chain.feePayer.publicKey, toPubkey: thief.publicKey, lamports: 1 });

    it('but one earlier', () => {
      expectRefused('VoucherMissing', session.verify(100n), nothing(), ...settlement());
    });

    it('but after', () => {
      expectRefused('VoucherMissing', ...settlement(), session.verify(100n));
      expectRefused('VoucherMissing', budget(), ...settlement(), session.verify(100n));
    });

    it('but before another settlement', () => {
      expectRefused('VoucherMissing', ...session.settle(100n), ...settlement());
    });
  });

  it('verified by another program, with the same bytes', () => {
    const { data } = session.verify(100n);
    const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
    expect(chain.send(new TransactionInstruction({ programId: memo, keys: [], data }), ...settlement()).refusal).toBeDefined();
    expectRefused('VoucherMissing', ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }), ...settlement());
  });

  it('in a copy of the instructions’ account is refused', () => {
    const fake = chain.aKey(0n).publicKey;
    chain.put(fake, { owner: new PublicKey('Sysvar1111111111111111111111111111111111111'), data: Buffer.alloc(400) });
    expectRefused('ConstraintAddress', session.verify(100n), ...session.settle(null, {}, { instructions: fake }));
  });

  it('signed by the session’s key for another message is refused', () => {
    const key = session.voucherKey.publicKey.toBytes();
    const outcome = chain.send(ed25519(header({}), key, session.voucherKey.sign(session.voucher(1n)), wish), ...settlement());
    expect(outcome.failedAt).toBe(0);
    expect(session.balances()).toEqual([900n, 100n, 0n]);
  });
});

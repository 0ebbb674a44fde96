/** `settle_session`: accepts one signature only, verified by the instruction immediately before, at fixed offsets. */
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

/** Offsets in the canonical instruction of 162 bytes. */
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

describe('settle_session with a forged voucher', () => {
  let chain: TestChain;
  let session: TestSession;
  let thief: Key;
  /** The message that the thief wants to be paid by. */
  let wish: Buffer;

  beforeEach(() => {
    chain = aChain();
    session = aSession(chain);
    thief = chain.aKey();
    wish = session.voucher(100n);
  });

  /** `settle_session` that reads the instruction before it, whichever it is. */
  const settlement = (): TransactionInstruction[] => session.settle(null, {}, { instructions: SYSVAR_INSTRUCTIONS_PUBKEY });

  function expectRejected(error: string, ...instructions: TransactionInstruction[]): void {
    expect(chain.errorOf(...instructions)).toBe(error);
    expect(session.balances()).toEqual([900n, 100n, 0n]);
    expect(session.read()).toMatchObject({ proven: 0n });
  }

  /** The session's key and the thief's message are at the offsets that are read; the verified bytes are elsewhere and the thief's own. */
  const bait = (layout: Partial<Layout>, ...rest: Uint8Array[]) =>
    ed25519(header(layout), session.voucherKey.publicKey.toBytes(), thief.sign(wish), wish, ...rest);

  it('the runtime rejects a forged voucher in the canonical layout', () => {
    const outcome = chain.send(bait({}), ...settlement());
    expect(outcome.error).toBeDefined();
    expect(outcome.failedAt).toBe(0);
    expect(session.balances()).toEqual([900n, 100n, 0n]);
  });

  it('settle_session pays a genuine voucher whose instruction was built by hand', () => {
    expect(
      chain.errorOf(ed25519(header({}), session.voucherKey.publicKey.toBytes(), session.voucherKey.sign(wish), wish), ...settlement()),
    ).toBe('none');
    expect(session.balances()).toEqual([900n, 0n, 100n]);
  });

  describe('settle_session rejects verified parts in another instruction', () => {
    /** A genuine signature of the thief over the thief's message, in the first instruction. */
    const genuine = () => ed25519(header({}), thief.publicKey.toBytes(), thief.sign(wish), wish);

    it.each<[string, Partial<Layout>]>([
      ['the public key', { publicKeyIndex: 0 }],
      ['the signature and the public key', { signatureIndex: 0, publicKeyIndex: 0 }],
      ['the message and the public key', { messageIndex: 0, publicKeyIndex: 0 }],
      ['everything', { signatureIndex: 0, publicKeyIndex: 0, messageIndex: 0 }],
    ])('settle_session rejects a voucher of which another instruction holds %s', (_what, layout) => {
      expectRejected('VoucherMalformed', genuine(), bait(layout), ...settlement());
    });

    it('settle_session rejects a voucher that refers to the signature or the message of a genuine one', () => {
      const old = session.verify(100n);
      const key = session.voucherKey.publicKey.toBytes();
      const signature = session.voucherKey.sign(wish);
      expectRejected('VoucherMalformed', old, ed25519(header({ signatureIndex: 0 }), key, Buffer.alloc(64), wish), ...settlement());
      expectRejected('VoucherMalformed', old, ed25519(header({ messageIndex: 0 }), key, signature, wish), ...settlement());
    });

    it('settle_session rejects a voucher that refers to its own instruction by number', () => {
      const key = session.voucherKey.publicKey.toBytes();
      const signature = session.voucherKey.sign(wish);
      for (const name of ['signatureIndex', 'publicKeyIndex', 'messageIndex']) {
        expectRejected('VoucherMalformed', ed25519(header({ [name]: 0 }), key, signature, wish), ...settlement());
      }
    });
  });

  describe('settle_session rejects verified parts elsewhere in the instruction', () => {
    it('settle_session rejects a voucher whose verified parts are all behind the canonical bytes', () => {
      const [key, signature] = [thief.publicKey.toBytes(), thief.sign(wish)];
      expectRejected(
        'VoucherMalformed',
        bait({ publicKeyOffset: 162, signatureOffset: 194, messageOffset: 258 }, key, signature, wish),
        ...settlement(),
      );
    });

    it('settle_session rejects a voucher whose verified public key is behind the canonical bytes', () => {
      expectRejected('VoucherMalformed', bait({ publicKeyOffset: 162 }, thief.publicKey.toBytes()), ...settlement());
    });

    it('settle_session rejects a verified lower voucher behind a higher one', () => {
      const low = session.voucher(1n);
      const data = [session.voucherKey.publicKey.toBytes(), session.voucherKey.sign(low), wish, low];
      expectRejected('VoucherMalformed', ed25519(header({ messageOffset: 162 }), ...data), ...settlement());
    });
  });

  it('settle_session rejects an instruction with no signature or with two', () => {
    // The runtime accepts an instruction without a signature only if it is empty.
    expectRejected('VoucherMalformed', ed25519(Buffer.of(0, 0)), ...settlement());
    expect(chain.send(bait({ count: 0 }), ...settlement())).toMatchObject({ error: expect.any(String), failedAt: 0 });
    const genuine = [session.voucherKey.publicKey.toBytes(), session.voucherKey.sign(wish), wish];
    const second = header({ signatureOffset: 62, publicKeyOffset: 30, messageOffset: 126 }).subarray(2);
    const first = header({ count: 2, signatureOffset: 62, publicKeyOffset: 30, messageOffset: 126 });
    expectRejected('VoucherMalformed', ed25519(first, second, ...genuine), ...settlement());
  });

  it('settle_session rejects padding, trailing bytes, and a message of another length', () => {
    const key = session.voucherKey.publicKey.toBytes();
    const genuine = (message: Buffer, layout: Partial<Layout> = {}, ...rest: Uint8Array[]) =>
      ed25519(header({ messageSize: message.length, ...layout }), key, session.voucherKey.sign(message), message, ...rest);
    expectRejected('VoucherMalformed', genuine(wish, { padding: 1 }), ...settlement());
    expectRejected('VoucherMalformed', genuine(wish, {}, Buffer.of(0)), ...settlement());
    expectRejected('VoucherMalformed', genuine(wish.subarray(2)), ...settlement()); // The 48 bytes of older libraries.
    expectRejected('VoucherMalformed', genuine(Buffer.concat([wish, Buffer.of(0)])), ...settlement());
    expectRejected('VoucherMalformed', genuine(wish.subarray(0, 49)), ...settlement());
  });

  describe('settle_session requires the verification immediately before it', () => {
    const budget = () => ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 });
    const nothing = () => SystemProgram.transfer({ fromPubkey: chain.feePayer.publicKey, toPubkey: thief.publicKey, lamports: 1 });

    it('settle_session rejects a voucher verified two instructions before', () => {
      expectRejected('VoucherMissing', session.verify(100n), nothing(), ...settlement());
    });

    it('settle_session rejects a voucher verified after it', () => {
      expectRejected('VoucherMissing', ...settlement(), session.verify(100n));
      expectRejected('VoucherMissing', budget(), ...settlement(), session.verify(100n));
    });

    it('settle_session rejects a voucher verified for another settlement', () => {
      expectRejected('VoucherMissing', ...session.settle(100n), ...settlement());
    });
  });

  it('settle_session rejects the canonical bytes passed to another program', () => {
    const { data } = session.verify(100n);
    const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
    expect(chain.send(new TransactionInstruction({ programId: memo, keys: [], data }), ...settlement()).error).toBeDefined();
    expectRejected('VoucherMissing', ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }), ...settlement());
  });

  it('settle_session rejects a copy of the instructions sysvar', () => {
    const fake = chain.aKey(0n).publicKey;
    chain.put(fake, { owner: new PublicKey('Sysvar1111111111111111111111111111111111111'), data: Buffer.alloc(400) });
    expectRejected('ConstraintAddress', session.verify(100n), ...session.settle(null, {}, { instructions: fake }));
  });

  it('the runtime rejects a voucher with the session key’s signature of another message', () => {
    const key = session.voucherKey.publicKey.toBytes();
    const outcome = chain.send(ed25519(header({}), key, session.voucherKey.sign(session.voucher(1n)), wish), ...settlement());
    expect(outcome.failedAt).toBe(0);
    expect(session.balances()).toEqual([900n, 100n, 0n]);
  });
});

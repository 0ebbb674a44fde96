import { SignatureRequiredError } from '#chain';
import type { Caller } from '../../http/caller';
import { SignatureRequired } from '../../signatures';
import { anOrder, CREATED_AT } from '../order.builder';
import { external, stage, violation } from '../processing/order.processor.builder';

describe('an approval', () => {
  const caller = { keyId: 'key_1' } as Caller;

  test('needs the operator where it holds the chain key itself', async () => {
    expect(await stage({ approver: external }).approvals.needsOperator(anOrder())).toBe(true);
    expect(await stage().approvals.needsOperator(anOrder())).toBe(false);
  });

  test.each([
    ['that the order has', anOrder({ seq: 3n }), { seq: 4n }, 3n],
    ['that the operator signed', anOrder(), { seq: 4n }, 4n],
    ['that is next', anOrder(), null, 7n],
  ])('is for the nonce %s', async (_what, order, signed, seq) => {
    const approval = await stage().approvals.of(order, caller, signed as never);
    expect(approval).toEqual({ approvedBy: 'key_1', approvedAt: CREATED_AT, seq, mac: 'mac' });
  });

  test.each([
    ['keeps its nonce while fewer than 512 later ones are used', 514n, null, 3n],
    ['gets a new nonce once 512 later ones are used', 515n, null, 7n],
    ['has the nonce that the operator signed once 512 later ones are used', 515n, { seq: 4n }, 4n],
  ])('of an order that waited %s', async (_what, highest, signed, seq) => {
    const approval = await stage({ used: [], highest }).approvals.of(anOrder({ seq: 3n }), caller, signed as never);
    expect(approval).toMatchObject({ seq });
  });

  test('of an order that was changed in the database is refused, and without a free nonce the chain is unavailable', async () => {
    await expect(stage({ isWaiting: false }).approvals.of(anOrder(), caller, null)).rejects.toThrow('changed in the database');
    await expect(stage({ nonces: [undefined] }).approvals.of(anOrder(), caller, null)).rejects.toMatchObject({
      code: 'chain_unavailable',
    });
  });

  const approval = { approvedBy: 'key_1', approvedAt: CREATED_AT, seq: 7n, mac: Buffer.from('mac') };

  test('is signed with the operator’s key, and not where a rule declines the order by now', async () => {
    expect(await stage().approvals.sign(anOrder(), approval, null)).toMatchObject({
      seq: 7n,
      transaction: { signature: 'Signed 7 AuthorityKey and approved' },
    });
    expect(await stage({ simulations: [violation('paused')] }).approvals.sign(anOrder(), approval, null)).toBeUndefined();
  });

  test('that the operator must sign outside asks for the signature with the nonce', async () => {
    const signing = new SignatureRequiredError({} as SignatureRequiredError['transaction'], 'Holder');
    const asked = await stage({ signing })
      .approvals.sign(anOrder(), approval, null)
      .catch((error: unknown) => error);
    expect([asked, asked]).toEqual([expect.any(SignatureRequired), expect.objectContaining({ required: signing, madeWith: { seq: 7n } })]);
    const defect = new Error('a defect');
    await expect(stage({ signing: defect }).approvals.sign(anOrder(), approval, null)).rejects.toBe(defect);
  });

  test('is stored with the event of the order', async () => {
    const { transitions, calls, passed } = stage();
    const transaction = { signature: 'Approved', bytes: new Uint8Array(), lastValidBlockHeight: 1, feeLamports: 0n };
    expect(await transitions.submit(anOrder(), { seq: 7n, transaction })).toMatchObject({ status: 'submitted', seq: 7n });
    expect([calls, passed]).toEqual([[['submit', 'Approved', 'initiated Approved']], ['transfer.submitted']]);
  });
});

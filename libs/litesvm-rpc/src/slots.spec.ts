import { BLOCKHASH_LIFETIME_SLOTS, FINALITY_SLOTS, SLOT_MS, Slots } from './slots';

describe('slots', () => {
  const started = () => new Slots({ seed: 'seed', firstSlot: 1, startedAtMs: 0, skipped: 0, latest: 1 });

  it('slots advance with wall time', () => {
    const slots = started();
    expect(slots.advance(SLOT_MS - 1)).toBe(false);
    expect(slots.advance(SLOT_MS)).toBe(true);
    expect(slots.current).toBe(2);
  });

  it('slots never go back', () => {
    const slots = started();
    slots.advance(100 * SLOT_MS);
    expect(slots.advance(0)).toBe(false);
    expect(slots.current).toBe(101);
  });

  it('slots continue from where they were skipped to', () => {
    const slots = started();
    slots.skip(10);
    slots.advance(SLOT_MS);
    expect(slots.current).toBe(12);
  });

  it('a slot is finalized after 32 more slots', () => {
    const slots = started();
    slots.skip(FINALITY_SLOTS);
    expect(slots.finalized).toBe(1);
    slots.skip(1);
    expect(slots.finalized).toBe(2);
  });

  it.each([
    ['one by one', (slots: Slots, count: number) => Array.from({ length: count }, () => slots.skip(1))],
    ['at once', (slots: Slots, count: number) => slots.skip(count)],
  ])('a blockhash is valid for 150 more slots when they are skipped %s', (_, skip) => {
    const slots = started();
    const blockhash = slots.blockhashOf(1);
    skip(slots, BLOCKHASH_LIFETIME_SLOTS);
    expect(slots.lastValidSlot(blockhash)).toBe(1 + BLOCKHASH_LIFETIME_SLOTS);
    skip(slots, 1);
    expect(slots.lastValidSlot(blockhash)).toBeUndefined();
  });

  it('blockhashes of skipped slots are valid', () => {
    const slots = started();
    slots.skip(1_000);
    expect(slots.lastValidSlot(slots.blockhashOf(900))).toBe(900 + BLOCKHASH_LIFETIME_SLOTS);
    expect(slots.lastValidSlot(slots.blockhashOf(800))).toBeUndefined();
  });

  it('reopened slots have the same blockhashes', () => {
    const slots = started();
    slots.skip(200);
    const again = new Slots({ ...slots.state });
    for (const slot of [50, 51, 201]) {
      expect(again.lastValidSlot(slots.blockhashOf(slot))).toBe(slots.lastValidSlot(slots.blockhashOf(slot)));
    }
  });
});

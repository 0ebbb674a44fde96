import { ChainUnavailableError, type Outcome } from '#chain';
import { CREATED_AT } from '../order.builder';
import { attempt, external, failed, landed, RESIGN_FOR_SECONDS, stage, violation } from './order.processor.builder';

jest.mock('node:timers/promises', () => ({ setTimeout: () => Promise.resolve() }));

const submitted = { status: 'submitted', seq: 7n, submittedAt: CREATED_AT, signature: 'Old' } as const;
const approved = { approved: true } as const;

describe('a submitted order', () => {
  test('of which an attempt landed is settled with that attempt, also an older one', async () => {
    const { run, calls } = stage({ attempts: [attempt('New'), attempt('Older')], lookedUp: { Older: { kind: 'landed', slot: 4 } } });
    expect(await run(submitted)).toMatchObject({ status: 'settled', signature: 'Older' });
    expect(calls).toEqual([['settle', 'settled Older']]);
  });

  test('without a nonce, from before there were any, is settled by what landed alone', async () => {
    const { run } = stage({ attempts: [attempt('New')], lookedUp: { New: { kind: 'landed', slot: 4 } }, confirmed: { kind: 'unknown' } });
    expect((await run({ ...submitted, seq: null })).status).toBe('settled');
  });

  test('whose outcome is open is sent again as the same bytes, the newest of those that may still land', async () => {
    const lookedUp: Record<string, Outcome> = {
      New: { kind: 'expired', asOfSlot: 7 },
      Open: { kind: 'unknown' },
      Older: { kind: 'unknown' },
    };
    const { run, calls } = stage({ attempts: [attempt('New'), attempt('Open', null), attempt('Older')], lookedUp });
    expect((await run(submitted)).status).toBe('settled');
    expect(calls).toEqual([
      ['send', 'Open'],
      ['settle', 'settled Open'],
    ]);
  });

  test('whose newest attempt was refused is rejected, or failed; what an older attempt met says nothing', async () => {
    const refused = stage({ attempts: [attempt('New')], lookedUp: { New: violation('paused') } });
    const broken = stage({ attempts: [attempt('New')], lookedUp: { New: failed('it_failed') } });
    expect([(await refused.run(submitted)).status, (await broken.run(submitted)).status]).toEqual(['rejected', 'failed']);
    for (const met of [violation('paused'), failed('it_failed')]) {
      const older = stage({ attempts: [attempt('New'), attempt('Older')], lookedUp: { New: { kind: 'unknown' }, Older: met } });
      expect((await older.run(submitted)).status).toBe('settled');
    }
  });

  test('stays as it is while the chain is away; another error is thrown', async () => {
    const attempts = [attempt('New')];
    const away = stage({ attempts, lookedUp: { New: new ChainUnavailableError('gone') } });
    expect([(await away.run(submitted)).status, away.calls]).toEqual(['submitted', []]);
    await expect(stage({ attempts, lookedUp: { New: new Error('a defect') } }).run(submitted)).rejects.toThrow('a defect');
  });

  test('is what another process made of it, if that moved it first', async () => {
    const { run } = stage({ attempts: [attempt('New')], lookedUp: { New: { kind: 'landed', slot: 4 } }, taken: ['settle'] });
    expect(await run(submitted)).toMatchObject({ signature: 'of another process' });
  });
});

describe('an order whose attempts have expired', () => {
  const at = (seconds: number): Date => new Date(CREATED_AT.getTime() + seconds * 1000);

  test('is signed again under the same nonce, up to its last second', async () => {
    for (const given of [submitted, { ...submitted, submittedAt: null }]) {
      const { run, calls } = stage({ used: [], now: at(RESIGN_FOR_SECONDS) });
      expect((await run(given)).status).toBe('settled');
      expect(calls[0]).toEqual(['submit', 'Signed 7 AuthorityKey', expect.any(String)]);
    }
  });

  test('fails after that time, and nothing is signed', async () => {
    const { run, calls } = stage({ used: [], now: new Date(at(RESIGN_FOR_SECONDS).getTime() + 1) });
    expect([(await run(submitted)).status, calls]).toEqual(['failed', [['fail', 'chain_unavailable']]]);
  });

  test('is signed again at an account that the chain does not show', async () => {
    expect((await stage().run(submitted)).status).toBe('settled');
  });

  test('and whose nonce is used by itself is settled as the history shows it', async () => {
    const late = new Date(at(RESIGN_FOR_SECONDS).getTime() + 1);
    const { run, calls } = stage({ attempts: [attempt('New')], used: [7n], shownFrom: 7, history: landed(), now: late });
    expect([(await run(submitted)).signature, calls]).toEqual(['Found', [['settle', 'settled Found']]]);
  });

  test('and whose nonce is used by what the history does not show yet waits', async () => {
    const { run, calls } = stage({ used: [7n] });
    expect([(await run(submitted)).status, calls]).toEqual(['submitted', []]);
  });

  test('and whose nonce is used by what no node has any more is settled as the state of the chain shows it', async () => {
    const { run, calls } = stage({ used: [7n], shown: { signature: null, slot: 3, isShownByState: true } });
    expect([(await run(submitted)).status, calls]).toEqual(['settled', [['settle', 'settled null']]]);
  });

  test('and whose nonce is used by another order begins again under a new nonce above all', async () => {
    const { run, calls } = stage({ used: [7n], history: landed({ microUsdc: 2n }), nonces: [21n] });
    expect(await run(submitted)).toMatchObject({ status: 'settled', seq: 21n });
    expect(calls.slice(0, 3)).toEqual([['raiseNonces', 20n], ['dropNonce'], ['submit', 'Signed 21 AuthorityKey', expect.any(String)]]);
  });

  test('of an approval that only the operator can sign waits for another one, whether it was submitted or not', async () => {
    const simulations = [violation('escalation_threshold')];
    const [sent, fresh] = [stage({ used: [], approver: external, simulations }), stage({ approver: external })];
    expect([(await sent.run({ ...submitted, ...approved })).status, sent.calls.map(([verb]) => verb)]).toEqual([
      'pending_approval',
      ['restartUnapproved', 'escalate'],
    ]);
    expect([(await fresh.run(approved)).status, fresh.calls]).toEqual(['pending_approval', [['unapprove']]]);
  });
});

describe('a landed failure about the nonce', () => {
  const sent = [failed('already_executed')];

  test('settles the order if the history shows it there', async () => {
    const { run } = stage({ sent, used: [7n], history: landed() });
    expect(await run()).toMatchObject({ status: 'settled', signature: 'Found' });
  });

  test('of a nonce that nothing used gives the order another one', async () => {
    for (const [used, highest] of [
      [[], 20n],
      [undefined, 0n],
    ] as const) {
      const { run, calls } = stage({ sent: [...sent, { kind: 'landed', slot: 9 }], used: used && [...used], nonces: [7n, 8n] });
      expect((await run()).seq).toBe(8n);
      expect(calls).toContainEqual(['raiseNonces', highest]);
    }
  });

  test('of an order without a nonce gives it one', async () => {
    const { run, calls } = stage({ attempts: [attempt('New')], lookedUp: { New: failed('seq_too_old') }, used: [] });
    await run({ ...submitted, seq: null });
    expect(calls).toContainEqual(['dropNonce']);
  });
});

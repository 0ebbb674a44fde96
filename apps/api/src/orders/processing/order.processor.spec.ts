import { ChainUnavailableError, type Outcome, type SimulationOutcome } from '#chain';
import type { Account } from '../../accounts';
import { anAccount } from '../../accounts/account.builder';
import { anOrder } from '../order.builder';
import { ALLOWED, failed, type Given, stage, violation } from './order.processor.builder';

// A pause is counted and takes no time.
const pauses: number[] = [];
jest.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));

const approved = { approved: true } as const;
beforeEach(() => void pauses.splice(0));

describe('an order from created', () => {
  test('that the chain allows is signed under the next nonce, stored, sent and settled, in this order', async () => {
    const { run, calls, passed, simulated } = stage();
    expect(await run()).toMatchObject({ status: 'settled', seq: 7n });
    expect(calls).toEqual([
      ['submit', 'Signed 7 AuthorityKey', 'initiated Signed 7 AuthorityKey'],
      ['send', 'Signed 7 AuthorityKey'],
      ['settle', 'settled Signed 7 AuthorityKey'],
    ]);
    expect(passed).toEqual(['nonce_taken', 'signed', 'submitted', 'sent', 'landed', 'settled'].map((point) => `transfer.${point}`));
    // Above the nonces that others sign with at the same time, at a node that has seen the account's last change.
    expect(simulated).toEqual([[expect.anything(), null, 133n, 3]]);
  });

  test('that has a nonce keeps it', async () => {
    const { run, calls, passed } = stage();
    await run({ seq: 2n });
    expect(calls[0]).toEqual(['submit', 'Signed 2 AuthorityKey', expect.any(String)]);
    expect(passed).not.toContain('transfer.nonce_taken');
  });

  test('with a simulation that was just made is not simulated, and not looked for in the history', async () => {
    const { run, simulated, instruction } = stage({ backfilled: [anOrder().id], lost: true });
    const known = { account: anAccount({ authorityKey: 'Known' }), instruction, outcome: ALLOWED };
    expect(await run({}, { known })).toMatchObject({ status: 'settled', signature: 'Signed 7 Known' });
    expect(simulated).toEqual([]);
  });

  test('that was paid before a restore is what the history says, or is failed and sends nothing', async () => {
    const found = stage({ backfilled: [anOrder().id] });
    expect(await found.run()).toMatchObject({ signature: 'of another process' });
    const lost = stage({ lost: true });
    expect((await lost.run()).status).toBe('failed');
    expect([found.calls, lost.calls]).toEqual([[], [['fail', 'conflict']]]);
  });

  test('fails while the chain is away, and waits again for an approval if it had one; another error is thrown', async () => {
    const simulations = [new ChainUnavailableError('gone')];
    const plain = stage({ simulations });
    expect((await plain.run()).status).toBe('failed');
    const withApproval = stage({ simulations });
    expect((await withApproval.run(approved)).status).toBe('pending_approval');
    expect([plain.calls, withApproval.calls]).toEqual([[['fail', 'chain_unavailable']], [['unapprove']]]);
    await expect(stage({ simulations: [new Error('a defect')] }).run()).rejects.toThrow('a defect');
  });

  test('that a rule declines is rejected with the rule and signs nothing', async () => {
    const { run, calls } = stage({ simulations: [violation('paused')] });
    expect((await run()).status).toBe('rejected');
    expect(calls).toEqual([['reject', 'paused', 'declined paused']]);
  });

  test.each([
    [5n, 'escalated 5'],
    [undefined, 'escalated 0'],
  ])('at the threshold %s waits for an operator', async (limit, effects) => {
    const { run, calls, passed } = stage({ simulations: [violation('escalation_threshold', { limit })] });
    expect((await run()).status).toBe('pending_approval');
    expect([calls, passed]).toEqual([[['escalate', 'mac', effects]], ['transfer.escalated']]);
  });

  test('of an account that the chain does not have fails and notes it, except for a top-up, whose session may have ended', async () => {
    const simulations = [failed('no_account')];
    const transfer = stage({ simulations });
    await transfer.run();
    const topUp = stage({ simulations });
    await topUp.run({ kind: 'top_up' });
    expect([transfer.calls, topUp.calls]).toEqual([
      [
        ['noteMissing', 'acct_payer'],
        ['fail', 'chain_unavailable'],
      ],
      [['fail', 'conflict']],
    ]);
  });

  test('is what another process made of it, if that moved it first', async () => {
    for (const verb of ['submit', 'settle']) {
      const { run } = stage({ taken: [verb] });
      expect(await run()).toMatchObject({ signature: 'of another process' });
    }
  });

  test('without a free nonce asks for one until the deadline, and stays as it is', async () => {
    const { run, calls } = stage({ nonces: [undefined, undefined, 8n] });
    expect((await run()).seq).toBe(8n);
    expect(pauses).toEqual([50, 50]);
    const late = stage({ nonces: [undefined] });
    expect(await late.run({}, { withinMs: -1 })).toMatchObject({ status: 'created', seq: null });
    expect([calls.length, late.calls]).toEqual([3, []]);
  });
});

describe('a simulation', () => {
  const current = anAccount({ authorityKey: 'Rotated', nextSeq: 40n });

  test('with an outdated key is repeated with the current one, which signs', async () => {
    const { run, simulated } = stage({ simulations: [failed('wrong_authority'), ALLOWED], currentKeys: current });
    expect(await run()).toMatchObject({ signature: 'Signed 7 Rotated' });
    expect(simulated.map(([account]) => (account as Account).authorityKey)).toEqual(['AuthorityKey', 'Rotated']);
  });

  test('with a wrong key that is the current one fails', async () => {
    const { run, calls } = stage({ simulations: [failed('wrong_operator')] });
    expect([(await run()).status, calls]).toEqual(['failed', [['fail', 'conflict']]]);
  });

  test.each<[string, Given, unknown[]]>([
    ['has run ahead of the chain: it is set back', { used: [] }, [['rewindNonces', 20n]]],
    ['has unresolved nonces: it stays', { used: [], unresolvedNonce: true }, []],
    ['is of an account that the chain does not show: it stays', {}, []],
  ])('is repeated where the nonce counter %s', async (_what, given, rewound) => {
    const { run, calls, simulated } = stage({ simulations: [failed('seq_too_far'), ALLOWED], ...given });
    expect((await run()).status).toBe('settled');
    expect([simulated.length, calls.filter(([verb]) => verb === 'rewindNonces')]).toEqual([2, rewound]);
  });

  test('whose nonce stays outdated fails after the fifth', async () => {
    const { run, calls, simulated } = stage({ simulations: [failed('already_executed')] });
    expect([(await run()).status, simulated.length, calls]).toEqual(['failed', 5, [['fail', 'chain_unavailable']]]);
  });

  test('by an older policy than was observed is repeated after a pause, until a node has the policy', async () => {
    const account = anAccount({ policyVersion: 3n });
    const { run, simulated } = stage({
      account,
      simulations: [
        { kind: 'allowed', policyVersion: 2n },
        violation('paused', { policyVersion: 2n }),
        { kind: 'allowed', policyVersion: 3n },
      ],
    });
    expect([(await run()).status, simulated.length, pauses]).toEqual(['settled', 3, [250, 250]]);
  });

  test('by an older policy at the sixteenth node too is a chain that went back: nothing is signed', async () => {
    const { run, calls, simulated } = stage({ account: anAccount({ policyVersion: 3n }), simulations: [ALLOWED] });
    expect([(await run()).status, simulated.length, calls]).toEqual(['failed', 16, [['fail', 'chain_unavailable']]]);
  });

  test.each([ALLOWED, violation('paused'), failed('it_failed')])('that reports no version is believed: %j', async (outcome) => {
    const { policyVersion: _version, ...without } = outcome as { policyVersion?: bigint };
    const answer = (outcome.kind === 'violation' ? { ...outcome, violation: { rule: 'paused' } } : without) as SimulationOutcome;
    const { run, simulated } = stage({ account: anAccount({ policyVersion: 99n }), simulations: [answer] });
    await run();
    expect(simulated).toHaveLength(1);
  });

  test('of an approved order has the operator’s signature, and of one whose approval is not genuine none', async () => {
    const [genuine, forged] = [stage(), stage({ isApproved: false })];
    expect(await genuine.run(approved)).toMatchObject({ signature: 'Signed 7 AuthorityKey and approved' });
    expect(await forged.run(approved)).toMatchObject({ signature: 'Signed 7 AuthorityKey' });
    expect([genuine.simulated[0]?.[1] === null, forged.simulated[0]?.[1]]).toEqual([false, null]);
  });
});

describe('a sent transaction', () => {
  test.each<Outcome['kind']>(['expired', 'unknown', 'not_sent'])('that is %s leaves the order submitted', async (kind) => {
    const { run, calls } = stage({ sent: [{ kind } as Outcome], lookedUp: {}, used: [] });
    const order = await run({}, { withinMs: 0 });
    expect([order.status, calls.map(([verb]) => verb)]).toEqual(['submitted', ['submit', 'send']]);
  });

  test('of which an unavailable chain says nothing leaves the order submitted; another error is thrown', async () => {
    const away = stage({ sent: [new ChainUnavailableError('gone')] });
    expect((await away.run({}, { withinMs: 0 })).status).toBe('submitted');
    await expect(stage({ sent: [new Error('a defect')] }).run()).rejects.toThrow('a defect');
  });

  test('that a rule declined on chain is rejected, and the account is read again', async () => {
    const { run, calls, passed } = stage({ sent: [violation('paused')] });
    expect((await run()).status).toBe('rejected');
    expect(calls.slice(2)).toEqual([
      ['noteChange', 9],
      ['reject', 'paused', 'declined paused'],
    ]);
    expect(passed).toContain('transfer.refused');
  });

  test('that the chain refused for an approval rule waits for an operator, except for a charge', async () => {
    const { run, calls } = stage({ sent: [violation('escalation_threshold', { limit: 5n })] });
    expect([(await run()).status, calls.at(-1)]).toEqual(['pending_approval', ['escalate', 'mac', 'escalated 5']]);
    const charge = stage({ sent: [violation('escalation_threshold')] });
    expect((await charge.run({ kind: 'charge' })).status).toBe('rejected');
  });

  test('that failed for another reason fails the order', async () => {
    const { run, calls } = stage({ sent: [failed('destination_frozen')] });
    expect([(await run()).status, calls.at(-1)]).toEqual(['failed', ['fail', 'invalid_recipient']]);
  });

  test('whose key was rotated meanwhile is signed again with the new key', async () => {
    const { run, calls } = stage({ sent: [failed('wrong_authority'), { kind: 'landed', slot: 9 }], currentKeys: anAccount() });
    expect((await run()).status).toBe('settled');
    expect(calls.map(([verb]) => verb)).toEqual(['submit', 'send', 'restart', 'submit', 'send', 'settle']);
    const current = stage({ sent: [failed('wrong_authority')] });
    expect([(await current.run()).status, current.calls.at(-1)]).toEqual(['failed', ['fail', 'conflict']]);
  });

  test.each<[string, Outcome, string, unknown[] | undefined]>([
    ['is shown as used', { kind: 'landed', slot: 9 }, 'settled', ['settle', 'settled Signed 7 AuthorityKey']],
    ['belongs to a refusal by a rule', violation('paused'), 'rejected', ['reject', 'paused', 'declined paused']],
    ['belongs to a failure', failed('it_failed'), 'failed', ['fail', 'conflict']],
    ['is not shown as used yet', { kind: 'unknown' }, 'submitted', ['send', 'Signed 7 AuthorityKey']],
  ])('that a node reports as landed settles only if its nonce %s', async (_what, confirmed, status, last) => {
    const { run, calls } = stage({ confirmed });
    expect([(await run({}, { withinMs: 0 })).status, calls.at(-1)]).toEqual([status, last]);
  });
});

test('run ends at its deadline, with the order as far as it got', async () => {
  const { run, calls } = stage({ sent: [failed('wrong_authority')], currentKeys: anAccount() });
  expect((await run({}, { withinMs: 0 })).status).toBe('created');
  expect(calls.map(([verb]) => verb)).toEqual(['submit', 'send', 'restart']);
});

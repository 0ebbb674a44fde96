import { ChainUnavailableError, type Outcome, type SimulationOutcome } from '#chain';
import type { Account } from '../../accounts';
import { anAccount } from '../../accounts/account.builder';
import { anOrder, CREATED_AT } from '../order.builder';
import { storeFailure } from './order-failures';
import { ALLOWED, attempt, external, failed, type Given, landed, RESIGN_FOR_SECONDS, stage, violation } from './order.processor.builder';

// A pause is counted and takes no time.
const pauses: number[] = [];
jest.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));

const submitted = { status: 'submitted', seq: 7n, submittedAt: CREATED_AT, signature: 'Old' } as const;
const approved = { approved: true } as const;
beforeEach(() => void pauses.splice(0));

describe('an order from created', () => {
  test('that the chain allows is signed under the next nonce, stored, sent and settled, in this order', async () => {
    const { run, told, passed, simulated } = stage();
    expect(await run()).toMatchObject({ status: 'settled', seq: 7n });
    expect(told).toEqual([
      ['submit', 'Signed 7 AuthorityKey', 'initiated Signed 7 AuthorityKey'],
      ['send', 'Signed 7 AuthorityKey'],
      ['settle', 'settled Signed 7 AuthorityKey'],
    ]);
    expect(passed).toEqual(['nonce_taken', 'signed', 'submitted', 'sent', 'landed', 'settled'].map((point) => `transfer.${point}`));
    // Above the nonces that others sign with at the same time, at a node that has seen the account's last change.
    expect(simulated).toEqual([[expect.anything(), null, 133n, 3]]);
  });

  test('that has a nonce keeps it', async () => {
    const { run, told, passed } = stage();
    await run({ seq: 2n });
    expect(told[0]).toEqual(['submit', 'Signed 2 AuthorityKey', expect.any(String)]);
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
    expect([found.told, lost.told]).toEqual([[], [['fail', 'conflict']]]);
  });

  test('fails while the chain is away, and waits again for an approval if it had one; another error is thrown', async () => {
    const simulations = [new ChainUnavailableError('gone')];
    const plain = stage({ simulations });
    expect((await plain.run()).status).toBe('failed');
    const withApproval = stage({ simulations });
    expect((await withApproval.run(approved)).status).toBe('pending_approval');
    expect([plain.told, withApproval.told]).toEqual([[['fail', 'chain_unavailable']], [['unapprove']]]);
    await expect(stage({ simulations: [new Error('a defect')] }).run()).rejects.toThrow('a defect');
  });

  test('that a rule declines is rejected with the rule and signs nothing', async () => {
    const { run, told } = stage({ simulations: [violation('paused')] });
    expect((await run()).status).toBe('rejected');
    expect(told).toEqual([['reject', 'paused', 'declined paused']]);
  });

  test.each([
    [5n, 'escalated 5'],
    [undefined, 'escalated 0'],
  ])('at the threshold %s waits for an operator', async (limit, effects) => {
    const { run, told, passed } = stage({ simulations: [violation('escalation_threshold', { limit })] });
    expect((await run()).status).toBe('pending_approval');
    expect([told, passed]).toEqual([[['escalate', 'mac', effects]], ['transfer.escalated']]);
  });

  test('of an account that the chain does not have fails and notes it, except for a top-up, whose session may have ended', async () => {
    const simulations = [failed('no_account')];
    const transfer = stage({ simulations });
    await transfer.run();
    const topUp = stage({ simulations });
    await topUp.run({ kind: 'top_up' });
    expect([transfer.told, topUp.told]).toEqual([
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
    const { run, told } = stage({ nonces: [undefined, undefined, 8n] });
    expect((await run()).seq).toBe(8n);
    expect(pauses).toEqual([50, 50]);
    const late = stage({ nonces: [undefined] });
    expect(await late.run({}, { withinMs: -1 })).toMatchObject({ status: 'created', seq: null });
    expect([told.length, late.told]).toEqual([3, []]);
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
    const { run, told } = stage({ simulations: [failed('wrong_operator')] });
    expect([(await run()).status, told]).toEqual(['failed', [['fail', 'conflict']]]);
  });

  test.each<[string, Given, unknown[]]>([
    ['has run ahead of the chain: it is set back', { used: [] }, [['rewindNonces', 20n]]],
    ['has unresolved nonces: it stays', { used: [], unresolvedNonce: true }, []],
    ['is of an account that the chain does not show: it stays', {}, []],
  ])('is repeated where the nonce counter %s', async (_what, given, rewound) => {
    const { run, told, simulated } = stage({ simulations: [failed('seq_too_far'), ALLOWED], ...given });
    expect((await run()).status).toBe('settled');
    expect([simulated.length, told.filter(([verb]) => verb === 'rewindNonces')]).toEqual([2, rewound]);
  });

  test('whose nonce stays outdated fails after the fifth', async () => {
    const { run, told, simulated } = stage({ simulations: [failed('already_executed')] });
    expect([(await run()).status, simulated.length, told]).toEqual(['failed', 5, [['fail', 'chain_unavailable']]]);
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
    const { run, told, simulated } = stage({ account: anAccount({ policyVersion: 3n }), simulations: [ALLOWED] });
    expect([(await run()).status, simulated.length, told]).toEqual(['failed', 16, [['fail', 'chain_unavailable']]]);
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
    const { run, told } = stage({ sent: [{ kind } as Outcome], lookedUp: {}, used: [] });
    const order = await run({}, { withinMs: 0 });
    expect([order.status, told.map(([verb]) => verb)]).toEqual(['submitted', ['submit', 'send']]);
  });

  test('of which an unavailable chain says nothing leaves the order submitted; another error is thrown', async () => {
    const away = stage({ sent: [new ChainUnavailableError('gone')] });
    expect((await away.run({}, { withinMs: 0 })).status).toBe('submitted');
    await expect(stage({ sent: [new Error('a defect')] }).run()).rejects.toThrow('a defect');
  });

  test('that a rule declined on chain is rejected, and the account is read again', async () => {
    const { run, told, passed } = stage({ sent: [violation('paused')] });
    expect((await run()).status).toBe('rejected');
    expect(told.slice(2)).toEqual([
      ['noteChange', 9],
      ['reject', 'paused', 'declined paused'],
    ]);
    expect(passed).toContain('transfer.refused');
  });

  test('that the chain refused for an approval rule waits for an operator, except for a charge', async () => {
    const { run, told } = stage({ sent: [violation('escalation_threshold', { limit: 5n })] });
    expect([(await run()).status, told.at(-1)]).toEqual(['pending_approval', ['escalate', 'mac', 'escalated 5']]);
    const charge = stage({ sent: [violation('escalation_threshold')] });
    expect((await charge.run({ kind: 'charge' })).status).toBe('rejected');
  });

  test('that failed for another reason fails the order', async () => {
    const { run, told } = stage({ sent: [failed('destination_frozen')] });
    expect([(await run()).status, told.at(-1)]).toEqual(['failed', ['fail', 'invalid_recipient']]);
  });

  test('whose key was rotated meanwhile is signed again with the new key', async () => {
    const { run, told } = stage({ sent: [failed('wrong_authority'), { kind: 'landed', slot: 9 }], currentKeys: anAccount() });
    expect((await run()).status).toBe('settled');
    expect(told.map(([verb]) => verb)).toEqual(['submit', 'send', 'restart', 'submit', 'send', 'settle']);
    const current = stage({ sent: [failed('wrong_authority')] });
    expect([(await current.run()).status, current.told.at(-1)]).toEqual(['failed', ['fail', 'conflict']]);
  });

  test.each<[string, Outcome, string, unknown[] | undefined]>([
    ['is shown as used', { kind: 'landed', slot: 9 }, 'settled', ['settle', 'settled Signed 7 AuthorityKey']],
    ['belongs to a refusal by a rule', violation('paused'), 'rejected', ['reject', 'paused', 'declined paused']],
    ['belongs to a failure', failed('it_failed'), 'failed', ['fail', 'conflict']],
    ['is not shown as used yet', { kind: 'unknown' }, 'submitted', ['send', 'Signed 7 AuthorityKey']],
  ])('that a node reports as landed settles only if its nonce %s', async (_what, confirmed, status, last) => {
    const { run, told } = stage({ confirmed });
    expect([(await run({}, { withinMs: 0 })).status, told.at(-1)]).toEqual([status, last]);
  });
});

describe('a submitted order', () => {
  test('of which an attempt landed is settled with that attempt, also an older one', async () => {
    const { run, told } = stage({ attempts: [attempt('New'), attempt('Older')], lookedUp: { Older: { kind: 'landed', slot: 4 } } });
    expect(await run(submitted)).toMatchObject({ status: 'settled', signature: 'Older' });
    expect(told).toEqual([['settle', 'settled Older']]);
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
    const { run, told } = stage({ attempts: [attempt('New'), attempt('Open', null), attempt('Older')], lookedUp });
    expect((await run(submitted)).status).toBe('settled');
    expect(told).toEqual([
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
    expect([(await away.run(submitted)).status, away.told]).toEqual(['submitted', []]);
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
      const { run, told } = stage({ used: [], now: at(RESIGN_FOR_SECONDS) });
      expect((await run(given)).status).toBe('settled');
      expect(told[0]).toEqual(['submit', 'Signed 7 AuthorityKey', expect.any(String)]);
    }
  });

  test('fails after that time, and nothing is signed', async () => {
    const { run, told } = stage({ used: [], now: new Date(at(RESIGN_FOR_SECONDS).getTime() + 1) });
    expect([(await run(submitted)).status, told]).toEqual(['failed', [['fail', 'chain_unavailable']]]);
  });

  test('is signed again at an account that the chain does not show', async () => {
    expect((await stage().run(submitted)).status).toBe('settled');
  });

  test('and whose nonce is used by itself is settled as the history shows it', async () => {
    const late = new Date(at(RESIGN_FOR_SECONDS).getTime() + 1);
    const { run, told } = stage({ attempts: [attempt('New')], used: [7n], shownFrom: 7, history: landed(), now: late });
    expect([(await run(submitted)).signature, told]).toEqual(['Found', [['settle', 'settled Found']]]);
  });

  test('and whose nonce is used by what the history does not show yet waits', async () => {
    const { run, told } = stage({ used: [7n] });
    expect([(await run(submitted)).status, told]).toEqual(['submitted', []]);
  });

  test('and whose nonce is used by what no node has any more is settled as the state of the chain shows it', async () => {
    const { run, told } = stage({ used: [7n], shown: { signature: null, slot: 3, isShownByState: true } });
    expect([(await run(submitted)).status, told]).toEqual(['settled', [['settle', 'settled null']]]);
  });

  test('and whose nonce is used by another order begins again under a new nonce above all', async () => {
    const { run, told } = stage({ used: [7n], history: landed({ microUsdc: 2n }), nonces: [21n] });
    expect(await run(submitted)).toMatchObject({ status: 'settled', seq: 21n });
    expect(told.slice(0, 3)).toEqual([['raiseNonces', 20n], ['dropNonce'], ['submit', 'Signed 21 AuthorityKey', expect.any(String)]]);
  });

  test('of an approval that only the operator can sign waits for another one, whether it was submitted or not', async () => {
    const simulations = [violation('escalation_threshold')];
    const [sent, fresh] = [stage({ used: [], approver: external, simulations }), stage({ approver: external })];
    expect([(await sent.run({ ...submitted, ...approved })).status, sent.told.map(([verb]) => verb)]).toEqual([
      'pending_approval',
      ['restartUnapproved', 'escalate'],
    ]);
    expect([(await fresh.run(approved)).status, fresh.told]).toEqual(['pending_approval', [['unapprove']]]);
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
      const { run, told } = stage({ sent: [...sent, { kind: 'landed', slot: 9 }], used: used && [...used], nonces: [7n, 8n] });
      expect((await run()).seq).toBe(8n);
      expect(told).toContainEqual(['raiseNonces', highest]);
    }
  });

  test('of an order without a nonce gives it one', async () => {
    const { run, told } = stage({ attempts: [attempt('New')], lookedUp: { New: failed('seq_too_old') }, used: [] });
    await run({ ...submitted, seq: null });
    expect(told).toContainEqual(['dropNonce']);
  });
});

test('run ends at its deadline, with the order as far as it got', async () => {
  const { run, told } = stage({ sent: [failed('wrong_authority')], currentKeys: anAccount() });
  expect((await run({}, { withinMs: 0 })).status).toBe('created');
  expect(told.map(([verb]) => verb)).toEqual(['submit', 'send', 'restart']);
});

test.each([
  ['policy_reverted', 'transfer', 'chain_unavailable', 'set the policy again'],
  ['no_account', 'transfer', 'chain_unavailable', ''],
  ['no_account', 'top_up', 'conflict', 'it failed'],
  ['seq_too_old', 'transfer', 'chain_unavailable', 'Too many transfers'],
  ['destination_is_source', 'transfer', 'invalid_recipient', 'it failed'],
  ['something_else', 'transfer', 'conflict', 'The chain refused this: it failed. No money moved.'],
] as const)('a failure by %s of a %s is stored as %s', (reason, kind, code, message) => {
  expect(storeFailure({ reason, detail: 'It failed' }, { kind })).toMatchObject({ code, message: expect.stringContaining(message) });
});

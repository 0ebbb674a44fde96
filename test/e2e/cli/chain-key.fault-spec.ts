/** Further commands of an operator who holds its chain key; chain-key.slow-spec.ts has the whole flow. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { OperatorCli } from '../../support/operator-cli';
import { anAccount, bodyOf, order, query } from '../../support/world';

jest.setTimeout(180_000);

describe('aps chain-key', () => {
  test('set without a keypair file, or with one that others can read, exits with 2 and changes nothing', async () => {
    const cli = await OperatorCli.create();
    expect(await cli.run(['chain-key', 'set', '--yes'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--keypair') });
    writeFileSync(join(cli.directory, 'open.json'), JSON.stringify([...cli.keypair.secretKey]), { mode: 0o644 });
    const open = await cli.run(['chain-key', 'set', '--yes', '--keypair', 'open.json']);
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod 600') });
    expect(await cli.json('chain-key', 'show')).toMatchObject({ chain_key_custody: 'service', pending_chain_key: null });
    cli.remove();
  });

  test('the accounts are handed to another key with a signature of the one before, and rotate gives them back to the service', async () => {
    const cli = await OperatorCli.createHolder();
    await anAccount({ by: cli.by });
    const next = Keypair.generate();
    const asked = await cli.run(['chain-key', 'set', '--yes', '--json', '--keypair', cli.file('next.json', next)]);
    expect(asked.code).toBe(7);
    const { signature_request_id: id } = JSON.parse(asked.stdout);
    await cli.json('signatures', 'sign', id, '--yes', '--keypair', cli.file());
    expect(await cli.json('chain-key', 'show')).toMatchObject({ chain_key: next.publicKey.toBase58(), chain_key_custody: 'external' });
    expect(await cli.run(['chain-key', 'rotate', '--yes'])).toMatchObject({ code: 7 });
    const rotated = await cli.json('chain-key', 'rotate', '--yes', '--keypair', 'next.json');
    expect(rotated).toMatchObject({ chain_key_custody: 'service', pending_chain_key: null });
    cli.remove();
  });
});

describe('aps with an external chain key', () => {
  let cli: OperatorCli;
  beforeAll(async () => (cli = await OperatorCli.createHolder()));
  afterAll(() => cli.remove());

  test('signatures sign changes nothing after a no, and with a key that is not a signer', async () => {
    const { id } = await cli.account();
    const sign = ['signatures', 'sign', await cli.ask(id, '--paused', 'yes'), '--keypair'];
    expect(await cli.run([...sign, cli.file()], 'n\n')).toMatchObject({ code: 1, stdout: 'Nothing was signed.\n' });
    const other = await cli.run([...sign, cli.file('other.json', Keypair.generate()), '--yes']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/is not a signer of this transaction.*Its signers: /)]);
    expect(other.stderr).toContain(cli.address);
    expect((await cli.policyOf(id)).paused).toBe(false);
  });

  test('signatures sign renews an expired request first, and signatures renew makes its transaction again', async () => {
    const { id } = await cli.account();
    const request = await cli.ask(id, '--paused', 'yes');
    await query(`UPDATE signature_requests SET expires_at = now() - interval '1 second' WHERE id = $1`, [request]);
    const signed = await cli.run(['signatures', 'sign', request, '--yes', '--keypair', cli.file()]);
    expect(signed).toMatchObject({ code: 0, stderr: expect.stringContaining('it is renewed') });
    expect((await cli.policyOf(id)).paused).toBe(true);
    const next = await cli.ask(id, '--paused', 'no');
    expect(await cli.json('signatures', 'renew', next)).toMatchObject({ signature_request_id: next, transaction: expect.any(String) });
  });

  test('policy set with --keypair signs every transaction of a long list and prints the policy', async () => {
    const { id } = await cli.account();
    const list = Array.from({ length: 45 }, () => Keypair.generate().publicKey.toBase58());
    const args = ['policy', 'set', id, '--yes', '--json', '--allowed-counterparties', list.join(','), '--keypair', cli.file()];
    const { code, stdout, stderr } = await cli.run(args);
    expect([code, JSON.parse(stdout).policy.version]).toEqual([0, 2]);
    // One begins the draft, two write 24 entries each, and one puts them in force.
    expect(stderr.match(/A further one is needed/g)).toHaveLength(3);
    expect(stderr.match(/^The transaction does:\n {2}(Begins|Writes|Writes|Sets) /gm)).toHaveLength(4);
    for (const entry of list) expect(stderr).toContain(entry);
    expect((await cli.policyOf(id)).allowed_counterparties).toHaveLength(45);
    expect(cli.shows(stdout + stderr)).toBe(false);
  });

  test('approvals approve signs with the key of APS_KEYPAIR and prints the settled transfer', async () => {
    const [payer, payee] = [await cli.account('10'), await cli.account()];
    await cli.json('policy', 'set', payer.id, '--yes', '--escalation-threshold', '5', '--keypair', cli.file());
    const { transfer_id: id } = bodyOf(await cli.by.post('/v1/transfers', order(payer, payee, '6')), 202);
    expect(await cli.run(['approvals', 'approve', id])).toMatchObject({ code: 7, stderr: expect.stringContaining('pays 6.000000 USDC') });
    const { environment } = cli;
    cli.environment = { ...environment, APS_KEYPAIR: cli.file() };
    expect(await cli.json('approvals', 'approve', id)).toMatchObject({ transfer_id: id, status: 'settled' });
    cli.environment = environment;
  });

  test.each([
    'signatures list',
    'signatures show sig_unknown',
    'signatures sign sig_unknown --yes',
    'signatures renew sig_unknown',
    'chain-key show',
    'chain-key set',
  ])('`%s --json` prints one JSON value on stdout', async (line) => {
    cli.file('.config/solana/id.json');
    expect(await cli.json(...line.split(' '))).toEqual(expect.any(Object));
  });
});

/** An operator who holds its chain key itself, at the command line. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Keypair, SystemProgram } from '@solana/web3.js';
import { api, type Api } from '../../support/api';
import { Cli } from '../../support/cli';
import { LyingService, withInstruction } from '../../support/lying-service';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, order, query } from '../../support/world';

jest.setTimeout(180_000);

/** An operator of its own at the command line. */
class OperatorCli extends Cli {
  readonly keypair = Keypair.generate();
  readonly by: Api;

  constructor(key: string) {
    const { baseUrl } = sharedService();
    super({ APS_BASE_URL: baseUrl, APS_KEY: key });
    this.by = api(baseUrl, key);
  }

  static async create(): Promise<OperatorCli> {
    const { sandbox, dataDir } = sharedService();
    return new OperatorCli(await newOperatorKey({ sandbox, dataDir }));
  }

  /** An operator whose accounts obey the keypair. */
  static async createHolder(): Promise<OperatorCli> {
    const cli = await OperatorCli.create();
    await cli.json('chain-key', 'set', '--yes', '--keypair', cli.file());
    return cli;
  }

  get address(): string {
    return this.keypair.publicKey.toBase58();
  }

  /** Writes a keypair as solana-keygen does. Returns the path. */
  file(name = 'chain-key.json', { secretKey } = this.keypair): string {
    const path = join(this.directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify([...secretKey]), { mode: 0o600 });
    return path;
  }

  /** Whether a text contains the secret key. */
  shows(text: string): boolean {
    const seed = this.keypair.secretKey.slice(0, 32);
    const encodings = (['hex', 'base64', 'base64url'] as const).map((encoding) => Buffer.from(seed).toString(encoding));
    return [...encodings, [...seed].slice(0, 8).join(',')].some((secret) => text.includes(secret));
  }
}

describe('aps chain-key', () => {
  test('set warns, changes nothing after a no, and hands the accounts to the key of the file after a yes', async () => {
    const cli = await OperatorCli.create();
    const set = ['chain-key', 'set', '--keypair', cli.file()];
    const refused = await cli.run(set, 'n\n');
    expect([refused.code, (await cli.json('chain-key', 'show')).chain_key_custody]).toEqual([1, 'service']);
    expect(refused.stderr).toContain('A lost key cannot be replaced');
    const agreed = await cli.run([...set, '--json'], 'y\n');
    expect(JSON.parse(agreed.stdout)).toMatchObject({ chain_key: cli.address, chain_key_custody: 'external', pending_chain_key: null });
    expect(cli.shows(agreed.stdout + agreed.stderr)).toBe(false);
    expect(await cli.run([...set, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('obey this key already') });
    cli.remove();
  });

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
  const policyOf = async (id: string) => bodyOf(await cli.by.get(`/v1/accounts/${id}/policy`), 200);
  const anAccountOfIts = (usdc?: string) => anAccount({ by: cli.by, ...(usdc !== undefined && { usdc }) });
  /** Asks for a change of a policy without a key. Returns the id of the request. */
  const ask = async (account: string, ...options: string[]): Promise<string> =>
    (await cli.json('policy', 'set', account, '--yes', ...options)).signature_request_id;

  test('policy set exits with 7 and names the command that signs, which asks and changes the policy', async () => {
    const { id } = await anAccountOfIts();
    const asked = await cli.run(['policy', 'set', id, '--yes', '--max-daily-spend', '7']);
    const [command = '', request = ''] = /aps signatures sign (sig_\w+)/.exec(asked.stderr) ?? [];
    expect([asked.code, asked.stdout, (await policyOf(id)).version]).toEqual([7, '', 1]);
    expect(asked.stderr).toContain('The limit in any 24 hours changes from none to 7 USDC.');
    expect((await cli.run(['signatures', 'list'])).stdout).toMatch(/policy.change .* changes from none to 7 USDC\./);
    expect(await cli.json('signatures', 'list', '--status', 'pending')).toContainEqual(
      expect.objectContaining({ signature_request_id: request, action: 'policy.change', account_id: id }),
    );
    cli.file('.config/solana/id.json');
    const signed = await cli.run(command.split(' ').slice(1), 'y\n');
    expect([signed.code, signed.stdout]).toEqual([0, expect.stringMatching(/^max_daily_spend +7$/m)]);
    expect(signed.stderr).toContain('The limit in any 24 hours changes from none to 7 USDC.');
    expect(await policyOf(id)).toMatchObject({ version: 2, max_daily_spend: 7 });
    expect(await cli.run(['signatures', 'sign', request])).toMatchObject({ code: 0, stderr: expect.stringContaining('done already') });
    expect(cli.shows(signed.stdout + signed.stderr)).toBe(false);
  });

  test('signatures show and sign say what the service says, and what the transaction does', async () => {
    const { id, address } = await anAccountOfIts();
    const request = await ask(id, '--max-daily-spend', '7');
    const says = [
      'The service says:',
      expect.stringContaining('is changed.'),
      '  The limit in any 24 hours changes from none to 7 USDC.',
      'The transaction does:',
      `  Sets the policy of account ${address}: max_daily_spend 7.000000 USDC; from version 1.`,
    ];
    expect((await cli.run(['signatures', 'show', request])).stdout.trim().split('\n').slice(-5)).toEqual(says);
    expect((await cli.json('signatures', 'show', request)).sentences).toEqual([says.at(-1)?.trim()]);
    const { code, stderr } = await cli.run(['signatures', 'sign', request, '--keypair', cli.file()], 'y\n');
    expect([code, stderr.split('\n').slice(0, 5)]).toEqual([0, says]);
  });

  test('signatures sign changes nothing after a no, and with a key that is not a signer', async () => {
    const { id } = await anAccountOfIts();
    const sign = ['signatures', 'sign', await ask(id, '--paused', 'yes'), '--keypair'];
    expect(await cli.run([...sign, cli.file()], 'n\n')).toMatchObject({ code: 1, stdout: 'Nothing was signed.\n' });
    const other = await cli.run([...sign, cli.file('other.json', Keypair.generate()), '--yes']);
    expect([other.code, other.stderr]).toEqual([2, expect.stringMatching(/is not a signer of this transaction.*Its signers: /)]);
    expect(other.stderr).toContain(cli.address);
    expect((await policyOf(id)).paused).toBe(false);
  });

  test('signatures sign renews an expired request first, and signatures renew makes its transaction again', async () => {
    const { id } = await anAccountOfIts();
    const request = await ask(id, '--paused', 'yes');
    await query(`UPDATE signature_requests SET expires_at = now() - interval '1 second' WHERE id = $1`, [request]);
    const signed = await cli.run(['signatures', 'sign', request, '--yes', '--keypair', cli.file()]);
    expect(signed).toMatchObject({ code: 0, stderr: expect.stringContaining('it is renewed') });
    expect((await policyOf(id)).paused).toBe(true);
    const next = await ask(id, '--paused', 'no');
    expect(await cli.json('signatures', 'renew', next)).toMatchObject({ signature_request_id: next, transaction: expect.any(String) });
  });

  test('policy set with --keypair signs every transaction of a long list and prints the policy', async () => {
    const { id } = await anAccountOfIts();
    const list = Array.from({ length: 45 }, () => Keypair.generate().publicKey.toBase58());
    const args = ['policy', 'set', id, '--yes', '--json', '--allowed-counterparties', list.join(','), '--keypair', cli.file()];
    const { code, stdout, stderr } = await cli.run(args);
    expect([code, JSON.parse(stdout).policy.version]).toEqual([0, 2]);
    // One begins the draft, two write 24 entries each, and one puts them in force.
    expect(stderr.match(/A further one is needed/g)).toHaveLength(3);
    expect(stderr.match(/^The transaction does:\n {2}(Begins|Writes|Writes|Sets) /gm)).toHaveLength(4);
    for (const entry of list) expect(stderr).toContain(entry);
    expect((await policyOf(id)).allowed_counterparties).toHaveLength(45);
    expect(cli.shows(stdout + stderr)).toBe(false);
  });

  test('approvals approve signs with the key of APS_KEYPAIR and prints the settled transfer', async () => {
    const [payer, payee] = [await anAccountOfIts('10'), await anAccountOfIts()];
    await cli.json('policy', 'set', payer.id, '--yes', '--escalation-threshold', '5', '--keypair', cli.file());
    const { transfer_id: id } = bodyOf(await cli.by.post('/v1/transfers', order(payer, payee, '6')), 202);
    expect(await cli.run(['approvals', 'approve', id])).toMatchObject({ code: 7, stderr: expect.stringContaining('pays 6.000000 USDC') });
    const { environment } = cli;
    cli.environment = { ...environment, APS_KEYPAIR: cli.file() };
    expect(await cli.json('approvals', 'approve', id)).toMatchObject({ transfer_id: id, status: 'settled' });
    cli.environment = environment;
  });

  describe('and a service that was taken over', () => {
    let lying: LyingService;
    let honest: string;
    beforeEach(async () => {
      honest = cli.environment.APS_BASE_URL ?? '';
      lying = await new LyingService(honest, (transaction) => transaction).start();
      cli.environment = { ...cli.environment, APS_BASE_URL: lying.url };
    });
    afterEach(() => {
      lying.stop();
      cli.environment = { ...cli.environment, APS_BASE_URL: honest };
    });
    const takesSol = (transaction: string): string => {
      const { publicKey: fromPubkey } = cli.keypair;
      return withInstruction(transaction, SystemProgram.transfer({ fromPubkey, toPubkey: Keypair.generate().publicKey, lamports: 1 }));
    };

    test('a transaction that also takes SOL of the chain key is refused with exit code 8, and no signature leaves', async () => {
      const { id } = await anAccountOfIts();
      const request = await ask(id, '--paused', 'yes');
      lying.lie = takesSol;
      for (const line of [
        ['signatures', 'sign', request, '--yes'],
        ['policy', 'set', id, '--paused', 'yes', '--yes'],
      ]) {
        const { code, stderr } = await cli.run([...line, '--keypair', cli.file()]);
        expect([code, stderr]).toEqual([8, expect.stringMatching(/cannot be read: .*1111111.*Nothing was signed\.$/m)]);
      }
      expect(await cli.json('signatures', 'show', request)).toMatchObject({ error: 'unreadable_transaction' });
      expect([lying.handedIn, (await policyOf(id)).paused]).toEqual([[], false]);
    });

    test('a transaction that lifts a limit under a harmless summary is shown as what it is, and `policy set` refuses it', async () => {
      const { id, address } = await anAccountOfIts();
      await cli.json('policy', 'set', id, '--yes', '--max-daily-spend', '5', '--keypair', cli.file());
      const pause = await ask(id, '--paused', 'yes');
      const lift = bodyOf(await cli.by.put(`/v1/accounts/${id}/policy`, { max_daily_spend: null }), 202);
      lying.lie = () => lift.transaction;
      lying.handedIn.length = 0;
      const sign = await cli.run(['signatures', 'sign', pause, '--keypair', cli.file()], 'n\n');
      expect([sign.code, sign.stdout]).toEqual([1, 'Nothing was signed.\n']);
      expect(sign.stderr).toContain(`  Sets the policy of account ${address}: max_daily_spend no limit; from version 2.`);
      const set = await cli.run(['policy', 'set', id, '--max-daily-spend', '4', '--yes', '--keypair', cli.file()]);
      expect([set.code, set.stderr]).toEqual([
        8,
        expect.stringMatching(/you asked for: it sets max_daily_spend to no limit\. Nothing was signed\./),
      ]);
      expect([lying.handedIn, (await policyOf(id)).max_daily_spend]).toEqual([[], 5]);
    });
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

import { Keypair, SystemProgram } from '@solana/web3.js';
import { OperatorCli } from '../../support/operator-cli';
import { LyingService, withInstruction } from '../../support/lying-service';
import { bodyOf } from '../../support/world';

jest.setTimeout(180_000);

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
});

describe('aps with an external chain key', () => {
  let cli: OperatorCli;
  beforeAll(async () => (cli = await OperatorCli.createHolder()));
  afterAll(() => cli.remove());

  test('policy set exits with 7 and names the command that signs, which asks and changes the policy', async () => {
    const { id } = await cli.account();
    const asked = await cli.run(['policy', 'set', id, '--yes', '--max-daily-spend', '7']);
    const [command = '', request = ''] = /aps signatures sign (sig_\w+)/.exec(asked.stderr) ?? [];
    expect([asked.code, asked.stdout, (await cli.policyOf(id)).version]).toEqual([7, '', 1]);
    expect(asked.stderr).toContain('The limit in any 24 hours changes from none to 7 USDC.');
    expect((await cli.run(['signatures', 'list'])).stdout).toMatch(/policy.change .* changes from none to 7 USDC\./);
    expect(await cli.json('signatures', 'list', '--status', 'pending')).toContainEqual(
      expect.objectContaining({ signature_request_id: request, action: 'policy.change', account_id: id }),
    );
    cli.file('.config/solana/id.json');
    const signed = await cli.run(command.split(' ').slice(1), 'y\n');
    expect([signed.code, signed.stdout]).toEqual([0, expect.stringMatching(/^max_daily_spend +7$/m)]);
    expect(signed.stderr).toContain('The limit in any 24 hours changes from none to 7 USDC.');
    expect(await cli.policyOf(id)).toMatchObject({ version: 2, max_daily_spend: 7 });
    expect(await cli.run(['signatures', 'sign', request])).toMatchObject({ code: 0, stderr: expect.stringContaining('done already') });
    expect(cli.shows(signed.stdout + signed.stderr)).toBe(false);
  });

  test('signatures show and sign say what the service says, and what the transaction does', async () => {
    const { id, address } = await cli.account();
    const request = await cli.ask(id, '--max-daily-spend', '7');
    const says = [
      'The service says:',
      expect.stringContaining('is changed.'),
      '  The limit in any 24 hours changes from none to 7 USDC.',
      'The transaction does:',
      `  Sets the policy of the account or fleet ${address}: max_daily_spend 7.000000 USDC; from version 1.`,
    ];
    expect((await cli.run(['signatures', 'show', request])).stdout.trim().split('\n').slice(-5)).toEqual(says);
    expect((await cli.json('signatures', 'show', request)).sentences).toEqual([says.at(-1)?.trim()]);
    const { code, stderr } = await cli.run(['signatures', 'sign', request, '--keypair', cli.file()], 'y\n');
    expect([code, stderr.split('\n').slice(0, 5)]).toEqual([0, says]);
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
      const { id } = await cli.account();
      const request = await cli.ask(id, '--paused', 'yes');
      lying.lie = takesSol;
      for (const line of [
        ['signatures', 'sign', request, '--yes'],
        ['policy', 'set', id, '--paused', 'yes', '--yes'],
      ]) {
        const { code, stderr } = await cli.run([...line, '--keypair', cli.file()]);
        expect([code, stderr]).toEqual([8, expect.stringMatching(/cannot be read: .*1111111.*Nothing was signed\.$/m)]);
      }
      expect(await cli.json('signatures', 'show', request)).toMatchObject({ error: 'unreadable_transaction' });
      expect([lying.handedIn, (await cli.policyOf(id)).paused]).toEqual([[], false]);
    });

    test('a transaction that lifts a limit under a harmless summary is shown as what it is, and `policy set` refuses it', async () => {
      const { id, address } = await cli.account();
      await cli.json('policy', 'set', id, '--yes', '--max-daily-spend', '5', '--keypair', cli.file());
      const pause = await cli.ask(id, '--paused', 'yes');
      const lift = bodyOf(await cli.by.put(`/v1/accounts/${id}/policy`, { max_daily_spend: null }), 202);
      lying.lie = () => lift.transaction;
      lying.handedIn.length = 0;
      const sign = await cli.run(['signatures', 'sign', pause, '--keypair', cli.file()], 'n\n');
      expect([sign.code, sign.stdout]).toEqual([1, 'Nothing was signed.\n']);
      expect(sign.stderr).toContain(`  Sets the policy of the account or fleet ${address}: max_daily_spend no limit; from version 2.`);
      const set = await cli.run(['policy', 'set', id, '--max-daily-spend', '4', '--yes', '--keypair', cli.file()]);
      expect([set.code, set.stderr]).toEqual([
        8,
        expect.stringMatching(/you asked for: it sets max_daily_spend to no limit\. Nothing was signed\./),
      ]);
      expect([lying.handedIn, (await cli.policyOf(id)).max_daily_spend]).toEqual([[], 5]);
    });
  });
});

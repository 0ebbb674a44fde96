import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { api } from '../../support/api';
import { newDatabase, settingsOf, startBeside } from '../../support/operators';
import { sharedService } from '../../support/service';
import { anAccount, balanceOf } from '../../support/world';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '..', '..', '..');

/** The content of .env as `scripts/compose-env.mjs` writes it. */
const newEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    [
      ...execFileSync(process.execPath, [join(ROOT, 'scripts', 'compose-env.mjs')], { encoding: 'utf8' }).matchAll(/^([A-Z_]+)=(.+)$/gm),
    ].map(([, name = '', value = '']) => [name, value]),
  );

describe('setup with the secrets of compose-env', () => {
  const { SOLANA_RPC_URL = '', SOLANA_WS_URL = '' } = settingsOf(sharedService());
  let variables: Record<string, string>;
  beforeAll(
    async () => void (variables = { ...newEnvironment(), SOLANA_RPC_URL, SOLANA_WS_URL, DATABASE_URL: await newDatabase(sharedService()) }),
  );

  const setUp = (more: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [join(ROOT, 'dist', 'apps', 'api', 'src', 'bin', 'setup.js')], {
      env: { PATH: process.env.PATH, ...variables, ...more },
    });

  test('setup funds the fee payer, creates the mint and prints the first operator key once, and a service starts with it', async () => {
    const [first, second] = [(await setUp()).stdout, (await setUp()).stdout];
    expect(second).toBe('The service is set up.\n');
    const [, operatorKey = ''] = /^OPERATOR_KEY=(aps_op_\w+)$/m.exec(first) ?? [];
    const service = await startBeside(sharedService(), { operatorKey, variables });
    try {
      const by = api(service.baseUrl, operatorKey);
      expect(await balanceOf(await anAccount({ usdc: '5', by }), by)).toBe('5.000000');
    } finally {
      await service.stop();
    }
  });

  test.each([
    [
      'a mint that is not the address of its key',
      { USDC_MINT: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
      /^USDC_MINT must be \w+, the address of TEST_MINT_KEY\.\n$/,
    ],
    [
      'a chain without the program',
      { PROGRAM_ID: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
      /^there is no program at \w+ \(PROGRAM_ID\)\n$/,
    ],
  ])('setup rejects %s with a sentence', async (_what, wrong, sentence) => {
    await expect(setUp(wrong)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
  });
});

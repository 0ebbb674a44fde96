import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBrowser } from '../../support/browser';
import { sharedBrowser } from '../../support/shared-browser';
import { anExternalOperator } from '../../support/chain-keys';
import { blocksOf } from '../../support/documentation';
import { startExampleProvider, type ExampleProvider } from '../../support/example-provider';
import { sharedService } from '../../support/service';
import { anAccount, type TestAccount } from '../../support/world';

jest.setTimeout(240_000);

const ROOT = join(__dirname, '..', '..', '..');
const run = promisify(execFile);
/** npm run as this test's Node runs it, without its notices. */
const npm = (args: string[], cwd: string) => run('npm', [...args, '--no-audit', '--no-fund', '--offline', '--loglevel=error'], { cwd });

let directory: string;
let account: TestAccount;
let other: TestAccount;
let provider: ExampleProvider;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'aps-client-'));
  await run(process.execPath, [join(ROOT, 'scripts', 'client.mjs'), 'build'], { cwd: ROOT });
  await npm(['pack', '--pack-destination', directory], join(ROOT, 'dist', 'client'));
  const [tarball = ''] = readdirSync(directory).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(directory, 'package.json'), '{"name":"an-agent","private":true}');
  await npm(['install', join(directory, tarball)], directory);
  [account, other, provider] = await Promise.all([anAccount({ usdc: '10' }), anAccount({ usdc: '1' }), startExampleProvider()]);
});
afterAll(async () => {
  await provider.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a program beside the installed package. Returns the JSON that it prints. */
async function program(name: string, text: string): Promise<any> {
  const { baseUrl, operatorKey } = sharedService();
  writeFileSync(join(directory, name), text);
  const variables = { AGENT_PAYMENTS_BASE_URL: baseUrl, AGENT_PAYMENTS_API_KEY: operatorKey };
  const more = { FROM: account.id, TO: other.id, PROVIDER: provider.url };
  const { stdout } = await run(process.execPath, [name], { cwd: directory, env: { PATH: process.env.PATH, ...variables, ...more } });
  return JSON.parse(stdout);
}

const PROGRAM = `
  const { FROM: from, TO: to, PROVIDER } = process.env;
  const client = new AgentPayments();
  const transfer = await client.transfers.create({ from, to, amount: 1_500_000n, memo: 'from the package' });
  const settled = await client.transfers.waitUntilSettled(transfer);
  const replayed = await client.transfers.create({ from, to, amount: '1.5', memo: 'from the package', idempotency_key: transfer.idempotency_key });
  const declined = await client.transfers.create({ from, to, amount: '1000000' }).catch((error) => error);
  const ids = [];
  for await (const { transfer_id } of client.transfers.list({ account_id: from, limit: 1 })) ids.push(transfer_id);
  const created = await client.accounts.create({ name: 'of the package' });
  const policy = await client.accounts.updatePolicy(created.account_id, { max_single_transfer: 5 });
  const stale = await client.accounts.updatePolicy(created.account_id, { paused: true }, { ifVersion: policy.version - 1 }).catch((error) => error);
  const report = await client.payingFetch({ account_id: from, max_amount: '0.05' })(PROVIDER + '/report');
  console.log(JSON.stringify({
    status: settled.status, isSame: replayed.transfer_id === transfer.transfer_id, listed: ids.includes(transfer.transfer_id),
    declined: [declined instanceof InsufficientBalance, declined.name, typeof declined.attempted, String(declined.attempted)],
    stale: [stale.name, stale.status], policy: policy.max_single_transfer, report: [report.status, (await report.json()).report],
  }));
`;
const EXPECTED = {
  status: 'settled',
  isSame: true,
  listed: true,
  declined: [true, 'InsufficientBalance', 'bigint', '1000000000000'],
  stale: ['PreconditionFailedError', 412],
  policy: 5,
  report: [200, 'All is well.'],
};

test('the packed client works as an ES module: transfers, lists, policies, declines and a paid API', async () => {
  expect(
    await program('agent.mjs', `import AgentPayments, { InsufficientBalance } from '@agent-payment-service/client';\n${PROGRAM}`),
  ).toEqual(EXPECTED);
});

test('the packed client works as a CommonJS module', async () => {
  const head = `const { AgentPayments, InsufficientBalance } = require('@agent-payment-service/client');\n`;
  expect(await program('agent.cjs', `${head}(async () => {${PROGRAM}})();`)).toEqual(EXPECTED);
});

test('payingFetch of the packed client pays an x402 seller, and its service has the receipt', async () => {
  const head = `import AgentPayments from '@agent-payment-service/client';\n`;
  const paid = await program(
    'x402.mjs',
    `${head}const client = new AgentPayments();
    const response = await client.payingFetch({ account_id: process.env.TO, max_amount: '0.05' })(process.env.PROVIDER + '/forecast');
    const [payment] = (await client.payments.list({ account_id: process.env.TO })).data;
    console.log(JSON.stringify({ status: response.status, body: (await response.json()).forecast, protocol: payment.protocol, has: payment.receipt !== null }));`,
  );
  expect(paid).toEqual({ status: 200, body: 'Sunny.', protocol: 'x402', has: true });
});

test.each([
  ['@solana/web3.js', 'transaction.sign([keypair])', ''],
  [
    'a key that only signs bytes',
    'async function signByKms',
    `import { createPrivateKey, sign } from 'node:crypto';
     import { SignatureRequired } from '@agent-payment-service/client';
     const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), keypair.secretKey.subarray(0, 32)]);
     const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
     const kms = { address: keypair.publicKey.toBase58(), sign: async (message) => sign(null, message, key) };
     const approvedByYourRules = async (sentences) => console.log(sentences.join());
     const error = await client.accounts.updatePolicy('acct_…', { max_daily_spend: 50 }).catch((error) => error);
     const policy = await signByKms(error, kms);`,
  ],
])('the program of the client’s README reads a policy change from its bytes and signs it with %s', async (_key, part, rest) => {
  const { by, key, holder } = await anExternalOperator();
  const { id, address } = await anAccount({ by });
  const block = blocksOf('libs/client/README.md', 'js').find((one) => one.includes(part)) ?? '';
  const text = `import AgentPayments from '@agent-payment-service/client';
    import { Keypair } from '@solana/web3.js';
    ${rest === '' ? '' : `import { addSignature, verifySignatureRequest } from '@agent-payment-service/client';`}
    const client = new AgentPayments();
    const keypair = Keypair.fromSecretKey(Uint8Array.from(${JSON.stringify([...holder.keypair.secretKey])}));
    ${`${block}\n${rest}`.replace('acct_…', id)}
    console.log(JSON.stringify(policy));`;
  // Beside the package, which installs no Solana library.
  const modules = join(directory, 'holder', 'node_modules');
  mkdirSync(modules, { recursive: true });
  if (!existsSync(join(modules, '@solana'))) symlinkSync(join(ROOT, 'node_modules', '@solana'), join(modules, '@solana'));
  writeFileSync(join(directory, 'holder', 'sign.mjs'), text);
  const variables = { AGENT_PAYMENTS_BASE_URL: sharedService().baseUrl, AGENT_PAYMENTS_API_KEY: key };
  const { stdout } = await run(process.execPath, ['sign.mjs'], {
    cwd: join(directory, 'holder'),
    env: { PATH: process.env.PATH, ...variables },
  });
  const [read = '', ...policy] = stdout.split('\n{');
  expect(read).toBe(`Sets the policy of the account or fleet ${address}: max_daily_spend 50.000000 USDC; from version 1.`);
  expect(JSON.parse(`{${policy.join('\n{')}`)).toMatchObject({ version: 2, max_daily_spend: 50 });
});

test('the packed client installs nothing else, and its licence files come with it', () => {
  const modules = join(directory, 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['@agent-payment-service']);
  const installed = join(modules, '@agent-payment-service', 'client');
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(readFileSync(join(installed, 'dist', 'cjs', 'THIRD_PARTY.md'), 'utf8')).toMatch(/bs58[\s\S]*openapi-fetch/);
});

const found = sharedBrowser();
(found ? test : test.skip)('the packed client reads in a browser, in a page of the service’s origin and of no other', async () => {
  const { baseUrl, operatorKey } = sharedService();
  const code = readFileSync(join(directory, 'node_modules', '@agent-payment-service', 'client', 'dist', 'esm', 'index.js'), 'utf8');
  const browser = await startBrowser(found as NonNullable<typeof found>);
  try {
    const read = async (origin: string): Promise<unknown> => {
      const page = await browser.newPage();
      await page.route('**/client.js', (route) => route.fulfill({ body: code, contentType: 'text/javascript' }));
      await page.route('**/page', (route) => route.fulfill({ body: '<title>A page</title>', contentType: 'text/html' }));
      await page.goto(`${origin}/page`);
      return page.evaluate(`(async () => {
        const { AgentPayments } = await import('/client.js');
        const client = new AgentPayments(${JSON.stringify({ apiKey: operatorKey, baseURL: baseUrl, maxRetries: 0 })});
        return client.accounts.retrieve('${account.id}').then(({ account_id }) => account_id, ({ name }) => name);
      })()`);
    };
    expect([await read(baseUrl), await read('http://page.example.com')]).toEqual([account.id, 'APIConnectionError']);
  } finally {
    await browser.close();
  }
});

test.each([
  ['ES module', 'types.mts', 'import'],
  ['CommonJS module', 'types.cts', 'import'],
])('the declarations of the packed client type-check in a strict %s, without openapi-fetch', async (_kind, name) => {
  writeFileSync(
    join(directory, name),
    `import { AgentPayments, PolicyViolation, verifySignatureRequest, verifyWebhook, type WebhookEvent } from '@agent-payment-service/client';
     export async function pay(client: AgentPayments): Promise<bigint | undefined> {
       const transfer = await client.transfers.create({ from: 'a', to: 'b', amount: 1n }).catch((error: unknown) => error);
       // @ts-expect-error An amount is not a number.
       await client.transfers.create({ from: 'a', to: 'b', amount: 1 });
       for await (const { amount_usdc } of client.transfers.list({ status: 'settled' })) amount_usdc.padStart(1);
       const event: WebhookEvent = await verifyWebhook('', {}, '');
       if (event.type === 'transfer.settled') event.data.settled_at.slice(1);
       const [first] = verifySignatureRequest({ transaction: '' }, { chainKey: '' }).instructions;
       if (first?.name === 'transfer') first.accounts.destination.slice(Number(first.args.amount * 2n));
       return transfer instanceof PolicyViolation ? transfer.limit : undefined;
     }`,
  );
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const types = ['--typeRoots', join(ROOT, 'node_modules', '@types'), '--types', 'node'];
  const options = ['--noEmit', '--strict', '--module', 'node20', '--target', 'es2022', '--skipLibCheck', 'false', ...types];
  const result = await run(process.execPath, [tsc, ...options, name], { cwd: directory }).catch((error: { stdout: string }) => error);
  expect(result.stdout).toBe('');
});

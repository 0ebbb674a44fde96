/** The dashboard of an operator that holds its chain key itself. */
import { SystemProgram } from '@solana/web3.js';
import type { Browser, Page } from 'playwright-core';
import { accessibilityDefects } from '../../support/accessibility';
import type { Api, Body } from '../../support/api';
import { startBrowser } from '../../support/browser';
import { sharedBrowser } from '../../support/shared-browser';
import { giveWallet } from '../../support/browser-wallet';
import { anExternalOperator, ChainKeyHolder } from '../../support/chain-keys';
import { newDashboardPage, signIn } from '../../support/dashboard-page';
import { eventually } from '../../support/eventually';
import { withInstruction } from '../../support/lying-service';
import { newOperatorKey } from '../../support/operators';
import { sharedService } from '../../support/service';
import { anAccount, bodyOf, order, query, type TestAccount } from '../../support/world';

jest.setTimeout(180_000);

const found = sharedBrowser();
const withBrowser = found ? describe : describe.skip;

const DESKTOP = { width: 1440, height: 900 };

let browser: Browser;
beforeAll(async () => {
  if (found) browser = await startBrowser(found);
});
afterAll(() => browser?.close());

withBrowser('the dashboard of an operator that holds its chain key', () => {
  let by: Api;
  let holder: ChainKeyHolder;
  let operatorKey: string;
  let page: Page;
  const complaints: string[] = [];

  const open = (path: string, on = page): Promise<unknown> => on.goto(`${sharedService().baseUrl}/dashboard${path}`);
  const dialog = (on = page) => on.getByRole('dialog', { name: 'Signature needed' });
  /** The sentences that the page read from the transaction. */
  const fromBytes = () => dialog().getByRole('list', { name: 'What the transaction does' });
  const anAccountNamed = async (name: string): Promise<TestAccount> => {
    const account = await anAccount({ by });
    bodyOf(await by.patch(`/v1/accounts/${account.id}`, { name }), 200);
    return account;
  };
  const policyOf = async ({ id }: TestAccount): Promise<Body> => bodyOf(await by.get(`/v1/accounts/${id}/policy`), 200);
  const shownTransaction = () => dialog().getByLabel('Transaction to sign').inputValue();
  const setPolicy = async ({ id }: TestAccount, policy: object) => holder.complete(by, await by.put(`/v1/accounts/${id}/policy`, policy));

  /** A page that is signed in, with a wallet where one is given. */
  const signedInPage = async (wallet?: Parameters<typeof giveWallet>[2]): Promise<Page> => {
    const opened = await newDashboardPage(browser, complaints, { viewport: DESKTOP });
    if (wallet) await giveWallet(opened, holder, wallet);
    await open('/', opened);
    await signIn(opened, operatorKey);
    await opened.getByRole('heading', { name: 'Overview' }).waitFor();
    return opened;
  };
  /** Signs the shown transaction as a person with the key elsewhere does. */
  const signByHand = async (): Promise<string> => {
    const transaction = await shownTransaction();
    await dialog().getByLabel('Signed transaction').fill(holder.signTransaction({ transaction }));
    await dialog().getByRole('button', { name: 'Submit' }).click();
    return transaction;
  };
  /** Signs what is shown, and whatever is shown after it, until the dialog is gone. */
  const signAllByHand = async (): Promise<void> => {
    let signed = await signByHand();
    for (;;) {
      const next = await eventually(async () => {
        const shown = await page.evaluate<string | null>(`document.querySelector('textarea[readonly]')?.value ?? null`);
        expect(shown).not.toBe(signed);
        return shown;
      });
      if (next === null) return;
      signed = await signByHand();
    }
  };

  beforeAll(async () => {
    if (!found) return;
    ({ by, holder } = await anExternalOperator());
    operatorKey = bodyOf(await by.post('/v1/api_keys', { type: 'operator', name: 'browser' }), 201).key;
    page = await signedInPage();
  });
  afterEach(() => expect(complaints).toEqual([]));

  test('saving a policy shows what is signed, refuses an unsigned transaction, and saves with the signature of the chain key', async () => {
    const account = await anAccount({ by });
    await open(`/accounts/${account.id}`);
    await page.getByRole('button', { name: 'Change policy' }).click();
    await page.getByLabel('24-hour limit').fill('7');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await dialog().getByText('The limit in any 24 hours changes from none to 7 USDC.').waitFor();
    await fromBytes()
      .getByText(`Sets the policy of the account or fleet ${account.address}: max_daily_spend 7.000000 USDC; from version 1.`)
      .waitFor();
    await dialog().getByText(holder.address).waitFor();
    await dialog()
      .getByText(/It expires in \d+ s\./)
      .waitFor();
    expect(await policyOf(account)).toMatchObject({ version: 1 });
    await dialog()
      .getByLabel('Signed transaction')
      .fill(await shownTransaction());
    await dialog().getByRole('button', { name: 'Submit' }).click();
    await dialog().getByRole('alert').waitFor();
    await signByHand();
    await page.getByRole('button', { name: 'Change policy' }).waitFor();
    await dialog().waitFor({ state: 'detached' });
    await page.locator('.facts').getByText('7 USDC').waitFor();
    expect(await policyOf(account)).toMatchObject({ version: 2, max_daily_spend: 7 });
  });

  test('a transaction that also takes SOL of the chain key cannot be signed, and the page says why', async () => {
    const account = await anAccount({ by });
    const withWallet = await signedInPage({});
    const fromPubkey = holder.keypair.publicKey;
    await withWallet.route('**/v1/accounts/*/policy', async (route) => {
      const response = await route.fetch();
      const body: Body = await response.json();
      const theft = SystemProgram.transfer({ fromPubkey, toPubkey: fromPubkey, lamports: 1 });
      if (body.transaction) body.transaction = withInstruction(body.transaction, theft);
      await route.fulfill({ response, json: body });
    });
    await open(`/accounts/${account.id}`, withWallet);
    await withWallet.getByRole('button', { name: 'Pause' }).click();
    await dialog(withWallet)
      .getByRole('alert')
      .getByText(/^Do not sign this\. The transaction cannot be read: instruction \d+.* the program 1111/)
      .waitFor();
    expect(await accessibilityDefects(withWallet)).toEqual([]);
    expect(await dialog(withWallet).getByRole('button').allTextContents()).not.toContain('Submit');
    expect(await dialog(withWallet).getByRole('button', { name: 'Sign with' }).count()).toBe(0);
    await dialog(withWallet).getByRole('button', { name: 'Cancel' }).click();
    expect(await policyOf(account)).toMatchObject({ paused: false });
    await withWallet.context().close();
  });

  test('pausing without the signature changes nothing, and says where the request is', async () => {
    const account = await anAccount({ by });
    await open(`/accounts/${account.id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText('It is listed under Signatures.').waitFor();
    expect(await policyOf(account)).toMatchObject({ paused: false });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Pause');
  });

  test('a policy that was changed while its signature was awaited is not overwritten, and the editor shows both changes', async () => {
    const account = await anAccount({ by });
    await open(`/accounts/${account.id}`);
    await page.getByRole('button', { name: 'Change policy' }).click();
    await page.getByLabel('24-hour limit').fill('7');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await dialog().waitFor();
    await setPolicy(account, { max_single_transfer: 2 });
    await signByHand();
    await page.getByText('This policy was changed meanwhile, and nothing was saved.').waitFor();
    expect(await dialog().count()).toBe(0);
    expect(await policyOf(account)).toMatchObject({ max_single_transfer: 2, max_daily_spend: null });
  });

  test('a transaction that expires in the open dialog is renewed there, and signed', async () => {
    const account = await anAccount({ by });
    await open(`/accounts/${account.id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await dialog().waitFor();
    await query(`UPDATE signature_requests SET expires_at = now() - interval '1 second' WHERE account_id = $1`, [account.id]);
    const expired = await signByHand();
    await dialog().getByRole('alert').getByText('The transaction has expired').waitFor();
    await dialog().getByRole('button', { name: 'Renew' }).click();
    await eventually(async () => expect(await shownTransaction()).not.toBe(expired));
    await signByHand();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await policyOf(account)).toMatchObject({ paused: true });
  });

  test('the key of an account is rotated, and the account closed, with a signature each', async () => {
    const account = await anAccount({ by });
    await open(`/accounts/${account.id}`);
    for (const [action, confirm, summary] of [
      ['Rotate its key', 'Rotate', 'gets a new authority key'],
      ['Close account', 'Close for ever', 'is closed for ever'],
    ] as const) {
      await page.getByRole('button', { name: action }).click();
      await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
      await dialog().getByText(summary).waitFor();
      await signByHand();
      await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    }
    const { data } = bodyOf(await by.get(`/v1/audit_log?object=${account.id}`), 200);
    expect(data.map(({ action }: Body) => action)).toEqual(['account.closed', 'authority_key.rotated', 'account.created']);
  });

  test('a change of several transactions asks for one signature after the other', async () => {
    const account = await anAccount({ by });
    const recipients = Array.from({ length: 128 }, () => new ChainKeyHolder().address);
    await open(`/accounts/${account.id}`);
    await page.getByRole('button', { name: 'Change policy' }).click();
    await page.getByRole('group', { name: 'Recipients' }).getByLabel('Only these').check();
    await page.getByLabel('Account ids or chain addresses').fill(recipients.join('\n'));
    await page.getByRole('button', { name: 'Save policy' }).click();
    await dialog().waitFor();
    const first = await signByHand();
    await dialog().getByText('1 signed, another is needed.').waitFor();
    expect(await shownTransaction()).not.toBe(first);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('What you sign');
    await signAllByHand();
    await page.getByRole('button', { name: 'Change policy' }).waitFor();
    expect((await policyOf(account)).allowed_counterparties).toHaveLength(128);
  });

  test('several accounts are paused by one signature', async () => {
    const accounts = await Promise.all(['first', 'second', 'third'].map((name) => anAccountNamed(`Paused ${name}`)));
    await open('/accounts?name=Paused');
    await page.getByRole('button', { name: 'Select all 3' }).click();
    await page.getByRole('group', { name: 'Selected accounts' }).getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog', { name: 'Pause 3 accounts?' }).getByRole('button', { name: 'Pause' }).click();
    await signByHand();
    await page.getByRole('dialog').getByText('3 accounts are paused.').waitFor();
    expect((await Promise.all(accounts.map(policyOf))).map(({ paused }) => paused)).toEqual([true, true, true]);
  });

  test('an approval is signed by a wallet of the browser that has the chain key', async () => {
    const [payer, payee] = [await anAccount({ by, usdc: '20' }), await anAccount({ by })];
    await setPolicy(payer, { escalation_threshold: 5 });
    const { transfer_id } = bodyOf(await by.post('/v1/transfers', order(payer, payee, '6')), 202);
    const withWallet = await signedInPage({});
    await open('/approvals', withWallet);
    await withWallet.getByRole('button', { name: 'Approve 6.000000 USDC' }).click();
    await withWallet.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await dialog(withWallet).getByRole('button', { name: 'Sign with Test Wallet' }).click();
    await withWallet.getByText('Nothing waits for you').waitFor();
    await eventually(async () => expect(bodyOf(await by.get(`/v1/transfers/${transfer_id}`), 200)).toMatchObject({ status: 'settled' }));
    await withWallet.context().close();
  });

  test('a wallet without the chain key signs nothing, and the page says which key is needed', async () => {
    const account = await anAccount({ by });
    const withWallet = await signedInPage({ address: new ChainKeyHolder().address });
    await open(`/accounts/${account.id}`, withWallet);
    await withWallet.getByRole('button', { name: 'Pause' }).click();
    await dialog(withWallet).getByRole('button', { name: 'Sign with Test Wallet' }).click();
    await dialog(withWallet).getByRole('alert').getByText(`did not connect the key ${holder.address}`).waitFor();
    expect(await policyOf(account)).toMatchObject({ paused: false });
    await withWallet.context().close();
  });

  test('an expired request is listed under Signatures, renewed and signed', async () => {
    const account = await anAccountNamed('Late');
    const { signature_request_id: id } = bodyOf(await by.put(`/v1/accounts/${account.id}/policy`, { max_daily_spend: 3 }), 202);
    await query(`UPDATE signature_requests SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    await open('/');
    await page.getByRole('navigation').getByRole('link', { name: 'Signatures' }).click();
    const card = page.getByRole('article', { name: `The policy of Late (${account.id}) is changed.` });
    await card.getByText('less than a minute ago').waitFor();
    await card.getByRole('link', { name: 'Late' }).waitFor();
    await card.getByRole('button', { name: 'Renew' }).click();
    await dialog().getByText('The limit in any 24 hours changes from none to 3 USDC.').waitFor();
    await signByHand();
    await card.waitFor({ state: 'detached' });
    expect(await policyOf(account)).toMatchObject({ max_daily_spend: 3 });
  });

  test('the keys show who holds the chain key, and hand the accounts to the service with a signature', async () => {
    await open('/keys');
    const section = page.getByRole('region', { name: 'Chain key' });
    await section.getByText(`You hold the chain key ${holder.address}`).waitFor();
    expect(await section.getByRole('link').getAttribute('href')).toBe('/docs/guides/own-chain-key');
    await section.getByRole('button', { name: 'Hand the accounts to this service' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
    await dialog().waitFor();
    await signAllByHand();
    await section.getByText('This service holds the chain key').waitFor();
    await page.getByRole('link', { name: 'Signatures' }).waitFor({ state: 'detached' });
    expect(bodyOf(await by.get('/v1/operators/me'), 200)).toMatchObject({ chain_key_custody: 'service' });
  });
});

withBrowser('the dashboard of an operator whose chain key the service holds', () => {
  test('the navigation has no signatures, and the keys name the service', async () => {
    const page = await newDashboardPage(browser, []);
    await page.goto(`${sharedService().baseUrl}/dashboard/keys`);
    await signIn(page, await newOperatorKey(sharedService()));
    await page.getByRole('region', { name: 'Chain key' }).getByText('This service holds the chain key').waitFor();
    expect(await page.getByRole('link', { name: 'Signatures' }).count()).toBe(0);
  });
});

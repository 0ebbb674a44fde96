// `npm run docs:screenshots`: writes docs/dashboard/*.png, pictures of the dashboard's views. Starts the built service and the example
// provider on a temporary directory, makes accounts, policies, transfers and payments, and takes the pictures.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, aBrowser, signedInPage } from '../demo/browser.mjs';
import { startStage } from '../demo/mpp-stage.mjs';

const DIRECTORY = join(ROOT, 'docs', 'dashboard');
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Calls of the example provider in a session, and by x402. */
const CALLS = 6;

const browser = await aBrowser();
const stage = await startStage();
try {
  mkdirSync(DIRECTORY, { recursive: true });
  const views = await fill();
  const { base_url: baseUrl, operator_key: operatorKey } = stage.sandbox;
  await takePictures(views, { baseUrl, operatorKey });
} finally {
  await browser.close();
  await stage.stop();
}
process.exit();

/** Makes what the pictures show. Returns the paths of the views by the names of their pictures. */
async function fill() {
  const { operator, provider } = stage;
  const supplier = await stage.anAccount('Data supplier', { max_single_transfer: 50, max_daily_spend: 500, escalation_threshold: 25 });
  const researcher = await stage.anAccount('Research agent', { max_single_transfer: 40, max_daily_spend: 60, escalation_threshold: 25 });
  const writer = await stage.anAccount('Report writer', { max_single_transfer: 5, max_daily_spend: 20, categories: ['data', 'inference'] });
  const crawler = await stage.anAccount('Web crawler', { max_single_transfer: 1, max_daily_spend: 10 });
  await operator('POST', '/v1/accounts', { name: 'Image generator' });
  // Reads what has arrived, so that the statement begins with the deposit.
  for (const { id } of [supplier, researcher]) await operator('GET', `/v1/accounts/${id}/statement`);
  const pay = (from, to, amount, memo, more = {}) =>
    from
      .ask('POST', '/v1/transfers', { from: from.id, to: to.id, amount, memo, idempotency_key: randomUUID(), ...more })
      // A decline is an answer, too.
      .catch((error) => error);
  await pay(researcher, supplier, '18', 'web search, week 22', { reference: 'INV-2041' });
  await pay(researcher, supplier, '12.5', 'market data, May', { reference: 'INV-2044' });
  await pay(researcher, supplier, '21.25', 'training set', { reference: 'INV-2046' });
  await pay(writer, supplier, '0.75', 'embeddings', { category: 'inference' });
  await pay(writer, supplier, '2.4', 'weekly report', { category: 'data' });
  await pay(writer, supplier, '1', 'image for the report', { category: 'images' });
  await pay(crawler, supplier, '4', 'annual plan');
  await pay(supplier, researcher, '3', 'refund');
  await pay(researcher, supplier, '60', 'annual plan');
  const session = await stage.openSession(writer, '0.01');
  for (let call = 0; call < CALLS; call++) await stage.payOnce(writer, session);
  const purse = await stage.openPurse(crawler, '1');
  for (let call = 0; call < CALLS; call++) await stage.payX402(crawler, purse);
  await pay(supplier, researcher, '30', 'labelled images, May', { reference: 'INV-2051' });
  await pay(supplier, writer, '25.5', 'translations', { reference: 'INV-2052' });
  await operator('POST', '/v1/webhooks', { url: `${provider.url}/hook`, events: ['transfer.settled', 'escalation.required'] }).catch(
    () => undefined,
  );
  const { data: declined } = await operator('GET', `/v1/transfers?account_id=${researcher.id}&status=rejected`);
  const { data: payments } = await operator('GET', `/v1/payments?account_id=${crawler.id}`);
  return {
    overview: '/',
    accounts: '/accounts',
    account: `/accounts/${researcher.id}`,
    statement: `/accounts/${researcher.id}/statement`,
    transfers: '/transfers',
    'declined-transfer': `/transfers/${declined[0].transfer_id}`,
    approvals: '/approvals',
    payments: '/payments',
    payment: `/payments/${payments[0].payment_id}`,
  };
}

async function takePictures(views, signIn) {
  const page = await signedInPage(browser, { ...signIn, viewport: DESKTOP });
  for (const [name, path] of Object.entries(views)) await takePicture(page, `${signIn.baseUrl}/dashboard${path}`, name);
  const phone = await signedInPage(browser, { ...signIn, viewport: PHONE });
  for (const name of ['overview', 'transfers']) await takePicture(phone, `${signIn.baseUrl}/dashboard${views[name]}`, `phone-${name}`);
}

async function takePicture(page, url, name) {
  await page.goto(url);
  await page.locator('main h1').waitFor();
  // The parts of a view load one by one.
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.locator('.loading, h1 .skeleton').first().waitFor({ state: 'detached' });
  await page.screenshot({ path: join(DIRECTORY, `${name}.png`), animations: 'disabled' });
}

import {
  buildPayment,
  networkNames,
  parsePaymentRequiredBody,
  parsePaymentRequiredHeader,
  parsePaymentResponseHeader,
  payableRequirements,
  refusalOf,
  refusalReason,
  type PaymentRequired,
  type PaymentRequirements,
  type PaymentTarget,
  type X402Payment,
} from '#x402';
import { parseChallenges, parseChargeRequest, parseReceipt, serialiseCredential, type Challenge } from '#mpp';
import { startExampleProvider, type ExampleProvider } from '../../../test/support/example-provider';
import { startX402Seller, type X402Seller, type X402SellerKind } from '../../../test/support/x402-sellers/start';
import type { BuiltX402Transfer, Chain, X402Transfer } from '../src';
import { anApprovedCharge, type ApprovedCharge } from './approved-charge';
import { startLocalChain, type LocalChain } from './local-chain';
import { aProvider, type Provider } from './payer';

jest.setTimeout(120_000);

const PRICE = 40n;

let local: LocalChain;
let chain: Chain;
let payee: Provider;
let target: PaymentTarget;
beforeAll(async () => {
  local = await startLocalChain();
  ({ chain } = local);
  payee = await aProvider(local);
  // Version 1 has no name for a local chain: both sides call it devnet.
  target = { ...networkNames(chain.identity.genesisHash), v1Name: 'solana-devnet', mint: chain.identity.usdcMint };
});
afterAll(() => local.stop());

const received = async (): Promise<bigint> => (await chain.accounts.balances([payee.tokenAccount]))[0] ?? 0n;

/** A seller's demand, and the part of it that can be paid. */
async function asked(url: string): Promise<{ required: PaymentRequired; requirements: PaymentRequirements }> {
  const response = await fetch(url);
  expect(response.status).toBe(402);
  const header = response.headers.get('payment-required');
  const required = header === null ? parsePaymentRequiredBody(await response.text()) : parsePaymentRequiredHeader(header);
  if (!required) throw new Error('the seller does not ask by x402');
  return { required, requirements: payableRequirements(required, target)[0] };
}

/** A payment that the charge's delegate signed, as the seller asks for it but for `change`. */
async function paymentAt(
  url: string,
  { account, delegate }: ApprovedCharge,
  change: Partial<X402Transfer> = {},
): Promise<{ built: BuiltX402Transfer; payment: X402Payment; requirements: PaymentRequirements }> {
  const { required, requirements } = await asked(url);
  const { amount: microUsdc, payTo, feePayer, memo = null, recentBlockhash = null } = requirements;
  const built = await chain.sellerPayments.buildX402Transfer(
    {
      owner: account.address,
      tokenAccount: account.tokenAccount,
      payTo,
      microUsdc,
      feePayer,
      memo,
      recentBlockhash,
      minContextSlot: 0,
      ...change,
    },
    delegate,
  );
  return {
    built,
    payment: buildPayment({
      required,
      requirements,
      content: { transaction: built.transaction },
      paymentId: `pay_${built.delegateSignature}`,
    }),
    requirements,
  };
}

const send = (url: string, { header, value }: X402Payment): Promise<Response> => fetch(url, { headers: { [header]: value } });
const responseOf = ({ headers }: Response) =>
  parsePaymentResponseHeader(headers.get('payment-response') ?? headers.get('x-payment-response') ?? '');
async function reasonOf(response: Response): Promise<string> {
  const [paymentResponse, paymentRequired] = ['payment-response', 'payment-required'].map((name) => response.headers.get(name)) as [
    string | null,
    string | null,
  ];
  return refusalReason({ paymentResponse, paymentRequired, body: await response.text() }) ?? '';
}

describe.each<[X402SellerKind, string]>([
  ['express-v2', '/report'],
  ['express-v1', '/report'],
  ['pay-kit', '/x402'],
])('stock seller %s', (kind, path) => {
  let seller: X402Seller;
  let url: string;
  beforeAll(async () => {
    const { usdcMint: mint } = chain.identity;
    seller = await startX402Seller(kind, { rpcUrl: local.rpcUrl, mint, payTo: payee.address, network: target.caip2, price: PRICE });
    url = seller.url + path;
  });
  afterAll(() => seller.stop());

  test('is paid several times by one delegate, and each landing has its memo and the delegate’s signature', async () => {
    const charge = await anApprovedCharge(chain, { purse: true });
    const [before, paid] = [await received(), []] as [bigint, { signature: string; memo: string; delegateSignature: string }[]];
    for (let count = 0; count < 2; count++) {
      const { built, payment } = await paymentAt(url, charge);
      const response = await send(url, payment);
      expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ report: 'fine' })]);
      const { success, transaction, payer } = responseOf(response);
      expect({ success, payer }).toEqual({ success: true, payer: charge.delegate.address });
      paid.push({ signature: transaction ?? '', memo: built.memo, delegateSignature: built.delegateSignature });
    }
    expect((await received()) - before).toBe(2n * PRICE);
    const span = { tokenAccount: charge.account.tokenAccount, delegate: charge.delegate.address, approval: null, end: null };
    expect((await chain.charges.movements(span)).movements).toEqual(
      paid.map((movement) => ({ ...movement, slot: expect.any(Number), microUsdc: PRICE, destination: payee.tokenAccount })),
    );
  });

  test('refuses the same payment again, and is paid once', async () => {
    const { payment } = await paymentAt(url, await anApprovedCharge(chain));
    const before = await received();
    expect((await send(url, payment)).status).toBe(200);
    const again = await send(url, payment);
    expect(again.status).toBe(402);
    expect(['in_flight', 'simulation_failed']).toContain(refusalOf(await reasonOf(again)));
    expect((await received()) - before).toBe(PRICE);
  });

  test('refuses another amount, and says so', async () => {
    const { payment } = await paymentAt(url, await anApprovedCharge(chain), { microUsdc: PRICE - 1n });
    const response = await send(url, payment);
    const reason = await reasonOf(response);
    expect([response.status, reason, refusalOf(reason)]).toEqual([402, expect.stringMatching(/amount_mismatch$/), 'refused']);
  });

  test('refuses a delegate whose allowance was used up meanwhile, as a failed simulation', async () => {
    const charge = await anApprovedCharge(chain, { microUsdc: PRICE });
    const [first, second] = [await paymentAt(url, charge), await paymentAt(url, charge)];
    expect((await send(url, first.payment)).status).toBe(200);
    const response = await send(url, second.payment);
    expect([response.status, refusalOf(await reasonOf(response))]).toEqual([402, 'simulation_failed']);
  });
});

describe('stock seller express-v2 by route', () => {
  let seller: X402Seller;
  beforeAll(async () => {
    const { usdcMint: mint } = chain.identity;
    seller = await startX402Seller('express-v2', { rpcUrl: local.rpcUrl, mint, payTo: payee.address, network: target.caip2, price: PRICE });
  });
  afterAll(() => seller.stop());

  test('/invoice is paid with the seller’s memo only', async () => {
    const url = `${seller.url}/invoice`;
    const right = await paymentAt(url, await anApprovedCharge(chain));
    expect([right.requirements.memo, right.built.memo]).toEqual(['invoice — 7', 'invoice — 7']);
    expect((await send(url, right.payment)).status).toBe(200);
    const wrong = await paymentAt(url, await anApprovedCharge(chain), { memo: 'invoice 8' });
    expect(await reasonOf(await send(url, wrong.payment))).toMatch(/memo_mismatch$/);
  });

  test('/upfront is paid before its answer is made', async () => {
    const { payment, requirements } = await paymentAt(`${seller.url}/upfront`, await anApprovedCharge(chain));
    expect(requirements.flow).toBe('upfront');
    const response = await send(`${seller.url}/upfront`, payment);
    expect([response.status, responseOf(response).success]).toEqual([200, true]);
  });

  test('/identified gives the stored answer for an identical payment', async () => {
    const url = `${seller.url}/identified`;
    const { payment } = await paymentAt(url, await anApprovedCharge(chain));
    const before = await received();
    const [first, second] = [await send(url, payment), await send(url, payment)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.json()).toEqual(await first.json());
    expect(responseOf(second)).toEqual(responseOf(first));
    expect((await received()) - before).toBe(PRICE);
  });

  test('/failing takes no money for an error', async () => {
    const before = await received();
    const { payment } = await paymentAt(`${seller.url}/failing`, await anApprovedCharge(chain));
    expect((await send(`${seller.url}/failing`, payment)).status).toBe(500);
    expect(await received()).toBe(before);
  });

  test('/free asks for nothing', async () => expect((await fetch(`${seller.url}/free`)).status).toBe(200));
});

describe('stock seller pay-kit with both protocols', () => {
  let seller: X402Seller;
  beforeAll(async () => {
    const { usdcMint: mint } = chain.identity;
    seller = await startX402Seller('pay-kit', { rpcUrl: local.rpcUrl, mint, payTo: payee.address, network: target.caip2, price: PRICE });
  });
  afterAll(() => seller.stop());

  const challengesOf = (response: Response): Challenge[] => parseChallenges([response.headers.get('www-authenticate') ?? '']).challenges;

  test('/report offers MPP and x402 at once, /mpp and /x402 one of them', async () => {
    const offered = await Promise.all(
      ['/report', '/mpp', '/x402'].map(async (path) => {
        const response = await fetch(seller.url + path);
        return [response.status, challengesOf(response).length, response.headers.has('payment-required')];
      }),
    );
    expect(offered).toEqual([
      [402, 1, true],
      [402, 1, false],
      [402, 0, true],
    ]);
  });

  test.each(['/report', '/mpp'])('%s is paid by an MPP charge of a delegate', async (path) => {
    const charge = await anApprovedCharge(chain);
    const [challenge] = challengesOf(await fetch(seller.url + path)) as [Challenge];
    const { amount: microUsdc, recipient, feePayerKey = null, recentBlockhash = null, externalId = null } = parseChargeRequest(challenge);
    const { transaction } = await chain.sellerPayments.buildPayment(
      {
        owner: charge.account.address,
        tokenAccount: charge.account.tokenAccount,
        recipient,
        microUsdc,
        externalId,
        recentBlockhash,
        feePayer: feePayerKey,
        minContextSlot: 0,
      },
      charge.delegate,
    );
    const before = await received();
    const authorization = serialiseCredential({ challenge, payload: { type: 'transaction', transaction } });
    const response = await fetch(seller.url + path, { headers: { authorization } });
    expect([response.status, await response.json()]).toEqual([200, { report: 'fine' }]);
    expect(parseReceipt(response.headers.get('payment-receipt') ?? '')).toMatchObject({ method: 'solana' });
    expect((await received()) - before).toBe(PRICE);
  });
});

describe('the example provider', () => {
  let provider: ExampleProvider;
  beforeAll(async () => {
    const { programId: program_id, usdcMint: usdc_mint } = chain.identity;
    provider = await startExampleProvider({}, { sandbox: { rpc_url: local.rpcUrl, program_id, usdc_mint } });
  });
  afterAll(() => provider.stop());

  test('is paid for /forecast by x402, and pays the fee itself', async () => {
    const url = `${provider.url}/forecast`;
    const { payment, requirements } = await paymentAt(url, await anApprovedCharge(chain, { microUsdc: 1_000n }));
    expect(requirements).toMatchObject({ amount: 1_000n, payTo: provider.payee, feePayer: provider.payee, flow: 'authorization' });
    const response = await send(url, payment);
    expect([response.status, await response.json(), responseOf(response).success]).toEqual([
      200,
      { forecast: 'Sunny.', made_at: expect.any(String) },
      true,
    ]);
  });
});

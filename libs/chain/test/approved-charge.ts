/** Approved charges on new accounts. */
import { randomBytes } from 'node:crypto';
import { LocalSigner, type AccountAddresses, type Chain, type ChargeOrder } from '../src';
import { anAccount, authority } from './payer';

export interface ApprovedCharge {
  account: AccountAddresses;
  order: ChargeOrder;
  delegate: LocalSigner;
}

export const aChargeOrder = (account: AccountAddresses, delegate: string, more: Partial<ChargeOrder> = {}): ChargeOrder => ({
  ...account,
  chargeId: randomBytes(16),
  microUsdc: 100n,
  category: null,
  delegate,
  expiresInSeconds: 600,
  purse: false,
  authority: authority.address,
  approvedBy: null,
  ...more,
});

/** A charge of 100 micro-USDC on a new account with 1,000. */
export async function anApprovedCharge(chain: Chain, more: Partial<ChargeOrder> = {}): Promise<ApprovedCharge> {
  const [account, { signer: delegate }] = [await anAccount(chain, 1_000n), LocalSigner.generate()];
  const order = aChargeOrder(account, delegate.address, more);
  expect(await chain.orders.settle(await chain.charges.signApproval(order, 1n, [authority]), 10_000)).toMatchObject({ kind: 'landed' });
  return { account, order, delegate };
}

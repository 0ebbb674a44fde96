/** Messages of a seller for the tests, valid unless a test changes them. */
import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { X402Error, type JsonObject, type PaymentTarget } from '../src';

export const anAddress = (): string => bs58.encode(randomBytes(32));
export const aSignature = (): string => bs58.encode(randomBytes(64));

export const target: PaymentTarget & { v1Name: string } = {
  caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  v1Name: 'solana-devnet',
  mint: anAddress(),
};
export const [payTo, feePayer] = [anAddress(), anAddress()];

/** An offer of version 2. */
export const anOffer = (more: JsonObject = {}): JsonObject => ({
  scheme: 'exact',
  network: target.caip2,
  amount: '1000',
  asset: target.mint,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { feePayer },
  ...more,
});

/** An offer of version 1. */
export function anOfferV1(more: JsonObject = {}): JsonObject {
  const { amount, ...offer } = anOffer();
  const described = { resource: 'https://seller.example/report', description: '', mimeType: '', outputSchema: { input: { type: 'http' } } };
  return { ...offer, ...described, network: target.v1Name, maxAmountRequired: amount, ...more };
}

export const aPaymentRequired = (more: JsonObject = {}): JsonObject => ({
  x402Version: 2,
  error: 'Payment required',
  resource: { url: '/report', mimeType: 'application/json' },
  accepts: [anOffer()],
  ...more,
});

export const aPaymentRequiredV1 = (more: JsonObject = {}): JsonObject => ({
  x402Version: 1,
  error: 'X-PAYMENT header is required',
  accepts: [anOfferV1()],
  ...more,
});

export const base64 = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');

/** The code of the X402Error that is thrown; `none` if nothing is. Other errors pass. */
export function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof X402Error) return error.code;
    throw error;
  }
  return 'none';
}

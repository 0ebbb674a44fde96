/** Payments for specs, and the challenges that they answer. Not part of the build. */
import bs58 from 'bs58';
import type { ChainIdentity } from '#chain';
import { idOf } from '#database';
import { serialiseChallenge, type Challenge } from '#mpp';
import type { Payment } from './payment.entity';
import type { Asked } from './methods/payment-method';

/** 32 bytes of the same value, in base58. */
export const anAddress = (byte: number): string => bs58.encode(Buffer.alloc(32, byte));

const CREATED_AT = new Date('2026-03-01T00:00:00.000Z');
export const IDENTITY: ChainIdentity = { genesisHash: anAddress(1), cluster: 'localnet', programId: anAddress(2), usdcMint: anAddress(3) };
export const PAYEE = anAddress(4);
/** When the challenges below expire. */
export const EXPIRES_AT = new Date('2026-03-01T00:05:00.000Z');

/** A payment by voucher of which nothing is known yet, with `changes`. */
export function aPayment(changes: Partial<Payment> = {}): Payment {
  return {
    id: idOf('pay', Buffer.alloc(16, 4)),
    operatorId: 'op_1',
    accountId: 'acct_payer',
    method: null,
    protocol: null,
    sessionId: null,
    purseId: null,
    idempotencyKey: 'key-1',
    activeIdempotencyKey: 'key-1',
    requestHash: Buffer.alloc(32),
    mode: 'pay',
    maxMicroUsdc: 1_000_000n,
    provider: 'https://api.example.com',
    requestMethod: 'GET',
    requestUrl: 'https://api.example.com/v1/search',
    requestSealed: null,
    status: 'created',
    microUsdc: 0n,
    category: null,
    reference: null,
    metadata: {},
    payee: null,
    challengeId: null,
    credentialSealed: null,
    cumulativeMicroUsdc: null,
    resent: false,
    orderId: null,
    delegateKey: null,
    delegateKeySealed: null,
    transactionSignature: null,
    delegateSignature: null,
    lastValidBlockHeight: null,
    receipt: null,
    responseStatus: null,
    responseSealed: null,
    responseBytes: null,
    responseTruncated: false,
    rejectionReason: null,
    violation: null,
    failure: null,
    signature: null,
    createdAt: CREATED_AT,
    sentAt: null,
    finalAt: null,
    reversedAt: null,
    leaseUntil: CREATED_AT,
    ...changes,
  };
}

/** Members of a challenge's request and of its `methodDetails`, and its own parameters. */
export interface ChallengeChanges {
  request?: Record<string, unknown>;
  details?: Record<string, unknown>;
  params?: Partial<Challenge>;
}

/** The header value of a challenge for a charge of 1,000 micro-USDC, with changes. */
export function aChargeChallenge({ request, details, params }: ChallengeChanges = {}): string {
  return challenge('charge', { ...request, methodDetails: { network: 'localnet', decimals: 6, ...details } }, params);
}

/** The header value of a challenge for a voucher of 1,000 micro-USDC, with changes. */
export function aSessionChallenge({ request, details, params }: ChallengeChanges = {}): string {
  const methodDetails = { network: 'localnet', channelProgram: IDENTITY.programId, ...details };
  return challenge('session', { ...request, methodDetails }, params);
}

/** A 402 with these challenges, to a request without a body and without an Authorization header. */
export function a402(challenges: string[], changes: Partial<Asked> = {}): Asked {
  return { challenges, x402: null, body: null, hasAuthorization: false, provider: null, ...changes };
}

function challenge(intent: 'charge' | 'session', request: Record<string, unknown>, params: Partial<Challenge> = {}): string {
  return serialiseChallenge({
    id: `${intent}-1`,
    realm: 'api.example.com',
    method: 'solana',
    intent,
    expires: EXPIRES_AT.toISOString(),
    ...params,
    request: { amount: '1000', currency: IDENTITY.usdcMint, recipient: PAYEE, ...request },
  });
}

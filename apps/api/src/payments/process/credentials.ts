import { Injectable } from '@nestjs/common';
import { serialiseCredential, type Challenge } from '#mpp';
import type { X402Payment } from '#x402';
import { EncryptionService } from '../../secrets';
import type { Payment } from '../payment.entity';

/** A header that pays. */
export interface Credential {
  header: string;
  value: string;
  /** x402: the object in the header, as MCP's `_meta["x402/payment"]` carries it. */
  payload?: X402Payment['payload'];
  /** The value of `Idempotency-Key` beside it, in place of the caller's. */
  idempotencyKey?: string;
}

/** The credential that answers an MPP challenge. `payer`: the address that pays, base58. */
export function mppCredential(
  challenge: Parameters<typeof serialiseCredential>[0]['challenge'],
  payload: { [member: string]: unknown },
  payer: string,
): Credential {
  const value = serialiseCredential({ challenge, payload, source: `did:pkh:solana:${payer}` });
  return { header: challenge.header ?? 'Authorization', value };
}

/** Credentials, stored encrypted with their payments: a credential is worth its amount. */
@Injectable()
export class Credentials {
  constructor(private readonly encryption: EncryptionService) {}

  /** The credential that answers an MPP challenge, encrypted. `payer` is the paying account's address on chain. */
  seal(
    payment: Pick<Payment, 'id'>,
    challenge: Challenge,
    payload: { [member: string]: unknown },
    payer: string,
    idempotencyKey?: string,
  ): string {
    return this.encrypt(payment, { ...mppCredential(challenge, payload, payer), ...(idempotencyKey !== undefined && { idempotencyKey }) });
  }

  /** An x402 payment, encrypted. */
  sealX402(payment: Pick<Payment, 'id'>, { header, value, payload }: X402Payment): string {
    return this.encrypt(payment, { header, value, payload });
  }

  /** @throws Error if the payment has no credential. */
  open({ id, credentialSealed }: Payment): Credential {
    if (credentialSealed === null) throw new Error(`${id} has no credential`);
    return JSON.parse(this.encryption.unseal('payment', id, credentialSealed).toString()) as Credential;
  }

  private encrypt({ id }: Pick<Payment, 'id'>, credential: Credential): string {
    return this.encryption.seal('payment', id, Buffer.from(JSON.stringify(credential)));
  }
}

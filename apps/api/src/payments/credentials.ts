import { Injectable } from '@nestjs/common';
import { serialiseCredential, type Challenge } from '#mpp';
import { EncryptionService } from '../secrets';
import type { Payment } from './payment.entity';

/** Credentials, which are worth their amount to whoever has them: made, and kept sealed beside their payments. */
@Injectable()
export class Credentials {
  constructor(private readonly encryption: EncryptionService) {}

  /** The header's value that answers a challenge, sealed; `payer` is the paying account's address on chain. */
  seal(payment: Pick<Payment, 'id'>, challenge: Challenge, payload: { [member: string]: unknown }, payer: string): string {
    const value = serialiseCredential({ challenge, payload, source: `did:pkh:solana:${payer}` });
    return this.encryption.seal('payment', payment.id, Buffer.from(JSON.stringify({ header: challenge.header ?? 'Authorization', value })));
  }

  /** The header that carries it, and its value. */
  open({ id, credentialSealed }: Payment): { header: string; value: string } {
    if (credentialSealed === null) throw new Error(`${id} has no credential`);
    return JSON.parse(this.encryption.unseal('payment', id, credentialSealed).toString()) as { header: string; value: string };
  }
}

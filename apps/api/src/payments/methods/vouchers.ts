import { Injectable } from '@nestjs/common';
import { LocalSigner, type Signer } from '#chain';
import { signedVoucher, voucherBytes } from '#mpp';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { EncryptionService } from '../../secrets';
import type { Promised } from '../payment.store';
import type { Session } from '../../sessions';

/** Opening a key takes as long as ten signatures, so the last ones stay open. */
const MAX_OPEN_KEYS = 1_000;

/** Signs what sessions promise, each by its own key. */
@Injectable()
export class Vouchers {
  private readonly keys = new Map<string, Signer>();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly encryption: EncryptionService,
  ) {}

  /** The promise of so much in all. The same amount has the same signature, each time it is asked for. */
  async promise(session: Session, cumulative: bigint): Promise<Promised> {
    const key = await this.key(session);
    return { cumulative, signature: await key.sign(bytesOf(session, cumulative)) };
  }

  /** As a credential's payload carries it. */
  payload(session: Session, { cumulative, signature }: Promised): { [member: string]: unknown } {
    const channelId = session.address ?? '';
    return {
      action: 'voucher',
      channelId,
      voucher: signedVoucher({ channelId, cumulativeAmount: cumulative, expiresAt: 0n, signer: session.voucherKey, signature }),
    };
  }

  private async key({ id, voucherKey }: Session): Promise<Signer> {
    const open = this.keys.get(id);
    if (open) return open;
    const [row]: { voucher_key_sealed: string }[] = await this.database.query('SELECT voucher_key_sealed FROM sessions WHERE id = $1', [
      id,
    ]);
    const signer = LocalSigner.fromSeed(this.encryption.unseal('session-voucher-key', id, row?.voucher_key_sealed ?? ''), voucherKey);
    if (this.keys.size >= MAX_OPEN_KEYS) this.keys.clear();
    this.keys.set(id, signer);
    return signer;
  }
}

function bytesOf({ address }: Session, cumulativeAmount: bigint): Uint8Array {
  return voucherBytes({ channelId: address ?? '', cumulativeAmount, expiresAt: 0n });
}

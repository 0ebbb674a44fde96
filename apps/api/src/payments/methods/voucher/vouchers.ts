import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { LocalSigner, type Signer } from '#chain';
import { signedVoucher, voucherBytes } from '#mpp';
import { EncryptionService } from '../../../secrets';
import { type IssuedVoucher, type Session, SessionReader } from '../../../sessions';

/** Decrypting a key takes as long as ten signatures: this many stay in memory. */
const MAX_CACHED_KEYS = 1_000;

/** The facts of a session that its vouchers are made of. None of them changes. */
export type VoucherSession = Pick<Session, 'id' | 'address' | 'voucherKey'>;

/** Issues the vouchers of sessions, each signed by the session's own key. */
@Injectable()
export class Vouchers {
  private readonly signers = new LRUCache<string, Signer>({ max: MAX_CACHED_KEYS });

  constructor(
    private readonly sessions: SessionReader,
    private readonly encryption: EncryptionService,
  ) {}

  /** Issues the voucher of a cumulative amount. The same amount has the same signature every time. */
  async issue(session: VoucherSession, cumulativeMicroUsdc: bigint): Promise<IssuedVoucher> {
    const signer = await this.signer(session);
    const bytes = voucherBytes({ channelId: session.address ?? '', cumulativeAmount: cumulativeMicroUsdc, expiresAt: 0n });
    return { cumulativeMicroUsdc, signature: await signer.sign(bytes) };
  }

  /** A voucher as the payload of a credential. */
  payload(session: VoucherSession, { cumulativeMicroUsdc, signature }: IssuedVoucher): { [member: string]: unknown } {
    const channelId = session.address ?? '';
    return {
      action: 'voucher',
      channelId,
      voucher: signedVoucher({ channelId, cumulativeAmount: cumulativeMicroUsdc, expiresAt: 0n, signer: session.voucherKey, signature }),
    };
  }

  private async signer({ id, voucherKey }: VoucherSession): Promise<Signer> {
    const cached = this.signers.get(id);
    if (cached) return cached;
    const seed = this.encryption.unseal('session-voucher-key', id, await this.sessions.sealedVoucherKey(id));
    const signer = LocalSigner.fromSeed(seed, voucherKey);
    this.signers.set(id, signer);
    return signer;
  }
}

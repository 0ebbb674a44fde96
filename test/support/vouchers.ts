/** Vouchers signed in tests, with the key that the service keeps encrypted. */
import { LocalSigner, type Signer } from '#chain';
import { parseChallenges, serialiseCredential, signedVoucher, voucherBytes, type Challenge } from '#mpp';
import { Config } from '../../apps/api/src/runtime/config';
import { EncryptionService } from '../../apps/api/src/secrets/encryption.service';
import { settingsOf } from './operators';
import { sharedService } from './service';
import { query } from './world';

export interface Payer {
  /** The session on chain. */
  channelId: string;
  key: Signer;
}

/** The payer of an open session of the shared service. */
export async function payerOf(sessionId: string): Promise<Payer & { seed: Uint8Array }> {
  const service = sharedService();
  const [row] = await query('SELECT address, voucher_key_sealed FROM sessions WHERE id = $1', [sessionId]);
  const sealing = new EncryptionService(
    Object.assign(new Config(), { KEY_ENCRYPTION_KEY: Buffer.from(settingsOf(service).KEY_ENCRYPTION_KEY ?? '', 'base64') }),
  );
  const seed = sealing.unseal('session-voucher-key', sessionId, row?.voucher_key_sealed);
  return { channelId: row?.address, key: LocalSigner.fromSeed(seed), seed };
}

/** The only challenge of a response. */
export function challengeOf(response: Response): Challenge {
  const { challenges, defects } = parseChallenges([response.headers.get('www-authenticate') ?? '']);
  const [challenge] = challenges;
  if (!challenge || challenges.length > 1 || defects.length > 0)
    throw new Error(`${response.status} came with ${challenges.length} challenges and ${defects.length} defects`);
  return challenge;
}

/** A credential with a voucher for `cumulative` micro-USDC. */
export async function voucherCredential(
  challenge: Challenge,
  { channelId, key }: Payer,
  cumulative: bigint,
  { expiresAt = 0n } = {},
): Promise<string> {
  const voucher = { channelId, cumulativeAmount: cumulative, expiresAt };
  const signature = await key.sign(voucherBytes(voucher));
  return serialiseCredential({
    challenge,
    payload: { action: 'voucher', channelId, voucher: signedVoucher({ ...voucher, signer: key.address, signature }) },
  });
}

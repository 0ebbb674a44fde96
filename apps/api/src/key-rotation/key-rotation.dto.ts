import bs58 from 'bs58';
import { isAddress } from '#chain';
import { Check, IsOmittable, IsText, itself } from '../http/validation/checks';

const DESTINATION = { min: 1, max: 64 };

/** Closes an account. */
export class CloseAccountDto {
  /** Where the balance is moved: a USDC token account, or an account_id or handle of the operator. Without it the account must be empty. */
  @IsOmittable()
  @IsText(DESTINATION)
  destination?: string;
}

/** Moves USDC that arrived at a closed account. */
export class SweepAccountDto {
  /** A USDC token account, or an account_id or handle of the operator. */
  @IsText(DESTINATION)
  destination!: string;
}

const SIGNATURE_BYTES = 64;

/** The bytes of an ed25519 signature in base58, base64 or hexadecimal; undefined for any other text. */
export function signatureBytes(text: string): Uint8Array | undefined {
  const base58 = bs58.decodeUnsafe(text);
  if (base58?.length === SIGNATURE_BYTES) return base58;
  if (/^[0-9a-f]{128}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/]{86}(==)?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Hands all accounts of the operator to a chain key that it holds itself. */
export class SetChainKeyDto {
  /** The public key, in base58. */
  @Check((value) => (typeof value === 'string' && isAddress(value) ? [] : [itself('must be an ed25519 public key in base58')]), {
    type: 'string',
    maxLength: 44,
  })
  chain_key!: string;

  /** The ed25519 signature of the challenge’s bytes by that key, in base58, base64 or hexadecimal. */
  @Check(
    (value) =>
      typeof value === 'string' && signatureBytes(value)
        ? []
        : [itself(`must be ${SIGNATURE_BYTES} bytes in base58, base64 or hexadecimal`)],
    { type: 'string', maxLength: 128 },
  )
  signature!: string;
}

/** The challenge that the next chain key must sign. */
export interface ChainKeyChallengeView {
  /** A text; its UTF-8 bytes are signed. */
  challenge: string;
  expires_at: string;
}

/** An operator and its chain key. */
export interface ChainKeyView {
  operator_id: string;
  name: string;
  /** The key that the operator’s accounts obey on chain, in base58. */
  chain_key: string;
  /** Who holds it: this service, or the operator itself. */
  chain_key_custody: 'service' | 'external';
  /** The key that the accounts are being handed to; null where none is. */
  pending_chain_key: string | null;
}

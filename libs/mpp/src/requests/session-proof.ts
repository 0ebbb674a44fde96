/** The payer's proof of `solana`/`session` if the seller's operator signs the vouchers: of one challenge and one channel. */
import bs58 from 'bs58';

export interface SessionProof {
  /** The channel's address. */
  channelId: string;
  /** The address that pays. */
  payer: string;
  /** The id of the challenge that the opening answered. */
  challengeId: string;
}

const DOMAIN = 'mpp-session-auth-v1';

/** The bytes that the payer signs: JSON with its members sorted, as solana-pay-kit 0.10.0 writes it. */
export function sessionProofBytes({ channelId, payer, challengeId }: SessionProof): Buffer {
  return Buffer.from(JSON.stringify({ channelId, domain: DOMAIN, payer, sessionChallengeId: challengeId }));
}

/** As it stands in a credential's payload. `signature`: 64 bytes over `sessionProofBytes`. */
export function signedProof({ challengeId, payer }: SessionProof, signature: Uint8Array) {
  return { type: 'proof' as const, challengeId, payer, signature: bs58.encode(signature) };
}

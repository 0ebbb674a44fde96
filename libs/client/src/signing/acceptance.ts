/** Acceptances: a key agrees, by signing a text, to become the operator of the accounts of another. The program reads them the same way. */
import bs58 from 'bs58';

const TEXT = /^agent-policy: become the operator of the accounts of ([0-9a-f]{64}); nonce [0-9a-f]{32}$/;

/** The address of the operator whose accounts a text accepts; null for any other text. */
export function operatorOfAcceptance(text: string): string | null {
  const [, key] = TEXT.exec(text) ?? [];
  return key === undefined ? null : bs58.encode(Uint8Array.from(key.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16)));
}

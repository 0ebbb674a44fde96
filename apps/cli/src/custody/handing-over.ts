/** Hands an operator's accounts to a chain key that the operator holds. */
import { setTimeout as pause } from 'node:timers/promises';
import { type AgentPayments, APITimeoutError, operatorOfAcceptance, type Schemas } from '#client';
import type { Keypair } from './keypair';

const POLL_MS = 500;
/** Accounts change eight at a time, each in about a second: thousands take minutes. */
const WITHIN_MS = 10 * 60_000;

/** Signs the service's challenge with a key, which accepts the accounts by that. @throws SignatureRequired, and Error for another text */
export async function accept(client: AgentPayments, keypair: Keypair): Promise<Schemas['ChainKey']> {
  const { chain_key: present } = await client.operator.retrieve();
  const { challenge } = await client.operator.challenge();
  // A key signs no other text, least of all a transaction.
  if (operatorOfAcceptance(challenge) !== present)
    throw new Error('The challenge of the service is not the text that accepts your accounts. Nothing was signed.');
  const signature = keypair.sign(Buffer.from(challenge)).toString('base64');
  return client.operator.setChainKey({ chain_key: keypair.address, signature });
}

/** Waits until all accounts obey a key that the operator holds. @throws APITimeoutError after ten minutes: it goes on */
export async function untilHeld(client: AgentPayments, address: string, signal: AbortSignal): Promise<Schemas['ChainKey']> {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const operator = await client.operator.retrieve();
    if (operator.chain_key === address && operator.chain_key_custody === 'external') return operator;
    if (Date.now() > deadline)
      throw new APITimeoutError('The accounts are still being handed over. `aps chain-key show` shows when all are.');
    await pause(POLL_MS, undefined, { signal });
  }
}

/** Forged answers of a node: that transactions landed, and events of the program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BN, BorshCoder, type Idl } from '@coral-xyz/anchor';
import { PublicKey } from '@solana/web3.js';

const idl = JSON.parse(readFileSync(join(__dirname, '..', '..', 'libs', 'chain', 'program', 'agent_policy.json'), 'utf8')) as Idl;
const coder = new BorshCoder(idl);

type Lie = { result: unknown };
/** Fields by the names of the IDL; addresses are base58. Missing fields are zero. */
type Fields = Record<string, string | bigint | number[]>;

const STATUS = { slot: 1, confirmations: null, err: null, status: { Ok: null }, confirmationStatus: 'confirmed' };

/** The answer to `getSignatureStatuses`: each landed without an error. */
export const landedStatuses = ([signatures]: unknown[]): Lie => ({
  result: { context: { slot: 1 }, value: (signatures as unknown[]).map(() => STATUS) },
});

/** A transaction of the chain as a node would return it that forges an event of the program. */
export async function forged(rpcUrl: string, signature: string, event: string, fields: Fields): Promise<Lie> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'getTransaction',
      params: [signature, { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }],
    }),
  });
  const { result } = (await response.json()) as { result: { meta: object } };
  const logMessages = [`Program ${idl.address} invoke [1]`, `Program data: ${encode(event, fields)}`, `Program ${idl.address} success`];
  return { result: { ...result, meta: { ...result.meta, err: null, status: { Ok: null }, logMessages } } };
}

function encode(name: string, fields: Fields): string {
  const discriminator = idl.events?.find((event) => event.name === name)?.discriminator ?? [];
  const type = idl.types?.find((one) => one.name === name)?.type;
  const members = type?.kind === 'struct' ? (type.fields as { name: string; type: unknown }[]) : [];
  const values = Object.fromEntries(members.map((member) => [member.name, fieldValue(member.type, fields[member.name])]));
  return Buffer.concat([Buffer.from(discriminator), coder.types.encode(name, values)]).toString('base64');
}

function fieldValue(type: unknown, value: Fields[string] | undefined): unknown {
  if (type === 'pubkey') return value === undefined ? PublicKey.default : new PublicKey(value as string);
  if (Array.isArray(value)) return value;
  if (typeof type === 'object' && type !== null && 'array' in type) return Array((type.array as [string, number])[1]).fill(0);
  return new BN(String(value ?? 0n));
}

/** The JSON of a node's answers, checked. The calls of every transfer do not use web3.js, which validates them at more cost. */
import { type AccountInfo, PublicKey, type TransactionError } from '@solana/web3.js';

/** A block height, and the slot that a node must have reached to know what has landed up to it. */
export interface Height {
  height: number;
  slot: number;
}

/** A node's answer to a simulation. */
export interface Simulation {
  err: TransactionError | null;
  logs: string[] | null;
  returnData?: { programId: string; data: [string, 'base64'] } | null;
}

/** @throws TypeError */
export function heightOf(result: unknown): Height {
  const { absoluteSlot: slot, blockHeight: height } = (result ?? {}) as { absoluteSlot?: unknown; blockHeight?: unknown };
  if (typeof height !== 'number' || typeof slot !== 'number') throw new TypeError('the answer has no block height and slot');
  return { height, slot };
}

/** The slot that an answer is of; 0 if it says none. */
export function slotOf(result: unknown): number {
  const { context } = (result ?? {}) as { context?: { slot?: unknown } };
  return Number(context?.slot ?? 0);
}

/** @throws TypeError */
export function simulationOf(result: unknown): Simulation {
  const { value = {} } = (result ?? {}) as { value?: Partial<Simulation> };
  const { err, logs = null, returnData } = value;
  const areLogs = logs === null || (Array.isArray(logs) && logs.every((line) => typeof line === 'string'));
  if (err === undefined || !areLogs) throw new TypeError('the answer is no simulation');
  return { err, logs, returnData };
}

/** The values of an answer in context. @throws TypeError if it has not one for each that was asked for */
export function valuesOf<Value>(result: unknown, count: number): (Value | null)[] {
  const { value } = (result ?? {}) as { value?: unknown };
  if (!Array.isArray(value) || value.length !== count) throw new TypeError(`the answer has not ${count} values`);
  return value as (Value | null)[];
}

/** The accounts of an answer; null if there is none at an address. @throws TypeError */
export function accountsOf(result: unknown, count: number): (AccountInfo<Buffer> | null)[] {
  return valuesOf<Record<string, unknown>>(result, count).map((value) => {
    if (value === null) return null;
    const { data, owner, executable, lamports } = value;
    const [text, encoding] = Array.isArray(data) ? (data as unknown[]) : [];
    if (typeof text !== 'string' || encoding !== 'base64' || typeof owner !== 'string') throw new TypeError('the answer is no account');
    return { data: Buffer.from(text, 'base64'), owner: ownerOf(owner), executable: executable === true, lamports: Number(lamports) };
  });
}

/** Programs that own accounts are few. */
const MAX_OWNERS = 1_000;
const owners = new Map<string, PublicKey>();

function ownerOf(address: string): PublicKey {
  const owner = owners.get(address) ?? new PublicKey(address);
  if (owners.size >= MAX_OWNERS) owners.clear();
  owners.set(address, owner);
  return owner;
}

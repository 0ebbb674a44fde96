/** The effect that a failed call of a node may have had. */
import { SolanaJSONRPCError } from '@solana/web3.js';
import { isResting, WrongChainError } from './node';
import { TransportError } from './transport/fetch';

/** `unreachable`: no effect, another node or a later call may succeed. `refused`: the node rejected it. `unknown`: perhaps an effect. */
export type RpcErrorKind = 'unreachable' | 'refused' | 'unknown';

function kindOf(error: unknown): RpcErrorKind {
  if (error instanceof SolanaJSONRPCError) return 'refused';
  if (error instanceof WrongChainError || isResting(error)) return 'unreachable';
  if (!(error instanceof TransportError)) return 'unknown';
  const { code } = error;
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EHOSTUNREACH' ? 'unreachable' : 'unknown';
}

/** How certain it is that a transaction had no effect, the least certain first. */
const CERTAINTY: RpcErrorKind[] = ['unknown', 'refused', 'unreachable'];

/** The least certain of the errors of the nodes that a transaction was sent to. */
export function leastCertain(errors: unknown[]): RpcErrorKind {
  const kinds = errors.map(kindOf);
  return CERTAINTY.find((kind) => kinds.includes(kind)) ?? 'unreachable';
}

/** Transfers, and the life of any order's transaction: settle, confirm, look up. */
import { TOKEN_PROGRAM_ID, unpackAccount } from '@solana/spl-token';
import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { hasUsedNonce } from '../accounts/account-data';
import { ChainOutcomeUnknownError } from '../chain.errors';
import { categoryEntry } from '../policy/list-entries';
import { type Addresses, u64 } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { idl, toBn } from '../program/idl';
import { instruction } from '../program/instruction';
import type { Rpc } from '../rpc/client';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import type { MessageTemplate } from '../tx/template';
import type { Outcome, SignedTransaction, SimulationOutcome, TransactionFinality } from '../tx/tx.types';
import type { Recipient, TransferOrder } from './order.types';

/** Cached templates, of half a kilobyte each. */
const MAX_TEMPLATES = 10_000;

export class ChainOrders {
  private readonly templates = new Map<string, MessageTemplate>();

  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
  ) {}

  /** An address as a recipient of USDC. @throws ChainUnavailableError */
  async recipient(address: string): Promise<Recipient> {
    const [info] = await this.rpc.accounts([address]);
    if (!info) return { kind: 'invalid', reason: 'there is no account at this address' };
    if (!info.owner.equals(TOKEN_PROGRAM_ID))
      return { kind: 'invalid', reason: 'this address is not a token account; a wallet receives at its USDC token account' };
    try {
      const { mint, owner, isInitialized, isFrozen } = unpackAccount(new PublicKey(address), info);
      if (!isInitialized) return { kind: 'invalid', reason: 'this token account is not initialised' };
      if (!mint.equals(this.addresses.mint)) return { kind: 'invalid', reason: 'this token account holds another mint than USDC' };
      if (isFrozen) return { kind: 'invalid', reason: 'this token account is frozen' };
      return { kind: 'token_account', owner: owner.toBase58() };
    } catch {
      return { kind: 'invalid', reason: 'this address is not a token account' };
    }
  }

  /**
   * Simulates the transfer that would be sent with the nonce `seq`. Nothing is sent.
   * @throws ChainUnavailableError also when every node is behind `minContextSlot`.
   */
  simulateTransfer(order: TransferOrder, seq: bigint, minContextSlot: number): Promise<SimulationOutcome> {
    return this.runner.simulateCompiled(this.templateOf(order).unsigned(transferData(order, seq)), minContextSlot);
  }

  /** Signs a transfer under a recent blockhash. Nothing is sent. @throws SignatureRequiredError */
  signTransfer(order: TransferOrder, seq: bigint, signers: Signer[]): Promise<SignedTransaction> {
    // The holder of an operator's key signs under a blockhash and a compute limit of its own.
    if (order.approvedBy !== null)
      return this.runner.sign([transferInstruction(this.addresses, order, seq)], COMPUTE_UNITS.transfer, signers);
    return this.runner.signTemplate(this.templateOf(order), transferData(order, seq), signers);
  }

  /** The transfers between the same accounts differ by their arguments only. */
  private templateOf(order: TransferOrder): MessageTemplate {
    const { address, tokenAccount, fleet = '', hasOwnPolicy = true, destination, authority, approvedBy } = order;
    const price = this.runner.priceOf(COMPUTE_UNITS.transfer);
    const name = `${address} ${tokenAccount} ${fleet} ${hasOwnPolicy} ${destination} ${authority} ${approvedBy ?? ''} ${price}`;
    const known =
      this.templates.get(name) ?? this.runner.template([transferInstruction(this.addresses, order, 0n)], COMPUTE_UNITS.transfer);
    if (this.templates.size >= MAX_TEMPLATES) this.templates.clear();
    this.templates.set(name, known);
    return known;
  }

  /** Submits, resubmits, and waits for the settlement commitment for at most `timeoutMs`. Calls `onSent` after the first submission. */
  settle(signed: SignedTransaction, timeoutMs: number, onSent?: () => void): Promise<Outcome> {
    return this.runner.settle(signed, timeoutMs, onSent);
  }

  /**
   * The outcome of an order that a node reports as landed: `landed` once the account shows that the nonce `seq` was used, or the
   * transaction's own error; `unknown` if neither is seen within `timeoutMs`. A closed account shows nothing: then the node is believed.
   */
  async confirmNonceUsed(
    { signature, slot }: { signature: string; slot: number },
    { address, seq }: { address: string; seq: bigint },
    timeoutMs: number,
  ): Promise<Outcome> {
    const isShown = async (minContextSlot: number): Promise<boolean> => {
      const info = await this.rpc.account(address, minContextSlot);
      return (info && hasUsedNonce(info.data, seq)) ?? true;
    };
    try {
      return await this.runner.outcomes.confirmShown(signature, slot, { isShown, deadline: performance.now() + timeoutMs });
    } catch (error) {
      if (error instanceof ChainOutcomeUnknownError) return { kind: 'unknown' };
      throw error;
    }
  }

  /** The outcome of a transaction submitted earlier, from the whole history. Reports `expired` only at a finalized height. */
  lookUp(signed: Pick<SignedTransaction, 'signature' | 'lastValidBlockHeight'>): Promise<Outcome> {
    return this.runner.lookUp(signed);
  }

  /**
   * The slot at which a transaction that may land up to this height can no longer land: a node that has reached it has seen it land, or never will.
   * Undefined before that height is finalized.
   */
  async expiredAt(lastValidBlockHeight: number): Promise<number | undefined> {
    const { height, slot } = await this.rpc.height('finalized');
    return height > lastValidBlockHeight ? slot : undefined;
  }

  /**
   * How final each transaction is; `missing` if no node has it, which is not proof that it did not land: its history may be pruned.
   * @throws ChainUnavailableError
   */
  finalities(signatures: string[]): Promise<TransactionFinality[]> {
    return this.runner.finalities(signatures);
  }
}

/** The program's instruction `transfer` with the nonce `seq`. */
export function transferInstruction(addresses: Addresses, order: TransferOrder, seq: bigint): TransactionInstruction {
  const accounts = {
    account: new PublicKey(order.address),
    ...addresses.governing(order),
    authority: new PublicKey(order.authority),
    operator: order.approvedBy ? new PublicKey(order.approvedBy) : undefined,
    token_account: new PublicKey(order.tokenAccount),
    mint: addresses.mint,
    destination: new PublicKey(order.destination),
  };
  return instruction(addresses.programId, 'transfer', accounts, { args: argsOf(order, seq) });
}

function argsOf(order: TransferOrder, seq: bigint): object {
  return {
    seq: toBn(seq),
    transfer_id: [...order.transferId],
    amount: toBn(order.microUsdc),
    category: order.category === null ? null : [...categoryEntry(order.category)],
    memo_hash: order.memoHash === null ? null : [...order.memoHash],
  };
}

/** Anchor's discriminator of the instruction, of the IDL. */
const DISCRIMINATOR = Buffer.from(idl.instructions.find(({ name }) => name === 'transfer')?.discriminator ?? []);

/** The data of a transfer's instruction: what the coder writes, at a tenth of its cost. */
export function transferData({ transferId, microUsdc, category, memoHash }: TransferOrder, seq: bigint): Buffer {
  const optional = (bytes: Uint8Array | null): Uint8Array[] => (bytes === null ? [Buffer.of(0)] : [Buffer.of(1), bytes]);
  const entry = category === null ? null : categoryEntry(category);
  return Buffer.concat([DISCRIMINATOR, u64(seq), transferId, u64(microUsdc), ...optional(entry), ...optional(memoHash)]);
}

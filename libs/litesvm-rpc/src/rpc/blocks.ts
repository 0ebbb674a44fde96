/** RPC methods about slots, blocks, the epoch and the node itself. */
import { bytesOf, toBase58 } from '../wire/bytes';
import { SLOT_MS } from '../slots';
import { API_VERSION, type Methods, type Request } from './dispatch';
import { blockNotAvailable, invalidParams } from './errors';
import type { Config } from './params';
import { showInBlock, transactionView } from './transaction-view';

const SLOTS_PER_EPOCH = 432_000;
const MOST_BLOCKS = 500_000;
const FEATURE_SET = 565_236_538;
const TELLING_FEES_OF_SLOTS = 150;

export const blockMethods: Methods = {
  getSlot: (request) => slotAt(request, request.config(0)),
  getBlockHeight: (request) => slotAt(request, request.config(0)),
  getTransactionCount: (request) => {
    request.config(0);
    return request.ledger.history.size;
  },
  getSlotLeader: (request) => identityOf(request),
  getFirstAvailableBlock: (request) => request.ledger.slots.state.firstSlot,
  minimumLedgerSlot: (request) => request.ledger.slots.state.firstSlot,
  getMaxRetransmitSlot: (request) => request.ledger.slots.current,
  getMaxShredInsertSlot: (request) => request.ledger.slots.current,
  getHealth: () => 'ok',
  getVersion: () => ({ 'feature-set': FEATURE_SET, 'solana-core': API_VERSION }),
  getGenesisHash: (request) => request.ledger.genesisHash,
  getIdentity: (request) => ({ identity: identityOf(request) }),

  getEpochInfo: (request) => {
    const slot = slotAt(request, request.config(0));
    return {
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      absoluteSlot: slot,
      blockHeight: slot,
      transactionCount: request.ledger.history.size,
    };
  },

  getEpochSchedule: () => ({
    slotsPerEpoch: SLOTS_PER_EPOCH,
    leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
    warmup: false,
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
  }),

  getLatestBlockhash: (request) => {
    request.config(0);
    const { slots } = request.ledger;
    const blockhash = slots.blockhashOf(slots.current);
    return request.inContext({ blockhash, lastValidBlockHeight: slots.lastValidSlot(blockhash)! });
  },

  isBlockhashValid: (request) => {
    const blockhash = toBase58(request.params.address(0));
    request.config(1);
    const lastValid = request.ledger.slots.lastValidSlot(blockhash);
    return request.inContext(lastValid !== undefined && lastValid >= request.ledger.slots.current);
  },

  getBlockTime: (request) => timeOf(request, knownSlot(request)),

  getBlocks: (request) => {
    const from = request.params.number(0);
    const to = request.params.has(1) ? request.params.number(1) : request.ledger.slots.current;
    return range(request, { from, to });
  },

  getBlocksWithLimit: (request) => {
    const from = request.params.number(0);
    return range(request, { from, to: from + request.params.number(1) - 1 });
  },

  getBlock: (request) => {
    const slot = knownSlot(request);
    const view = transactionView(request.params, 1);
    const config = request.params.config(1);
    const details = config.oneOf('transactionDetails', ['full', 'accounts', 'signatures', 'none']) ?? 'full';
    const { slots, history } = request.ledger;
    const entries = details === 'none' ? [] : history.inSlot(slot);
    return {
      blockhash: slots.blockhashOf(slot),
      previousBlockhash: slots.blockhashOf(slot - 1),
      parentSlot: slot - 1,
      blockHeight: slot,
      blockTime: timeOf(request, slot),
      ...(config.has('rewards') && !config.boolean('rewards') ? {} : { rewards: [] }),
      ...(details === 'signatures' && { signatures: entries.map(({ id }) => toBase58(bytesOf(id))) }),
      ...((details === 'full' || details === 'accounts') && {
        transactions: entries.map((entry) => showInBlock(history.read(entry), view)),
      }),
    };
  },

  /** Blocks are never full: no priority fee is needed. */
  getRecentPrioritizationFees: (request) => {
    const { current, state } = request.ledger.slots;
    const from = Math.max(state.firstSlot, current - TELLING_FEES_OF_SLOTS + 1);
    return Array.from({ length: current - from + 1 }, (_, n) => ({ slot: from + n, prioritizationFee: 0 }));
  },
};

/** The slot at a commitment. The chain has one state, but clients must see finality follow confirmation. */
function slotAt(request: Request, config: Config): number {
  const { current, finalized } = request.ledger.slots;
  const commitment = config.oneOf('commitment', ['processed', 'confirmed', 'finalized']) ?? 'finalized';
  return commitment === 'finalized' ? finalized : current;
}

function knownSlot(request: Request): number {
  const slot = request.params.number(0);
  const { current, state } = request.ledger.slots;
  if (slot > current || slot < state.firstSlot) throw blockNotAvailable(slot);
  return slot;
}

/** The time of a transaction in that slot, or else extrapolated back from now. */
function timeOf(request: Request, slot: number): number {
  const { slots, clock, history } = request.ledger;
  return history.inSlot(slot)[0]?.unixSeconds ?? clock.now - Math.floor(((slots.current - slot) * SLOT_MS) / 1_000);
}

function range(request: Request, options: { from: number; to: number }): number[] {
  const { current, state } = request.ledger.slots;
  const [from, to] = [Math.max(options.from, state.firstSlot), Math.min(options.to, current)];
  if (to - from >= MOST_BLOCKS) throw invalidParams(`Slot range too large; max ${MOST_BLOCKS}`);
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
}

function identityOf(request: Request): string {
  return toBase58(request.ledger.faucetAddress);
}

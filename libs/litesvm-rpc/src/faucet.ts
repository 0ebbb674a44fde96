/** The account that test lamports come from, by ordinary transactions. */
import { createHash } from 'node:crypto';
import { fromBase58 } from './wire/bytes';
import { keyPairOf } from './wire/ed25519';
import { parseTransaction, type Transaction } from './wire/transaction';

/** Below 2^53, so that every JSON parser reads every balance exactly. */
export const FAUCET_LAMPORTS = 9_000_000_000_000_000n;
const SYSTEM_PROGRAM = Buffer.alloc(32);
const COMPUTE_BUDGET = fromBase58('ComputeBudget111111111111111111111111111111');
const SET_COMPUTE_UNIT_LIMIT = 2;
const TRANSFER = 2;
const LEAST_COMPUTE_UNITS = 10_000;
const MOST_TELLING_UNITS = 1_000_000;

export class Faucet {
  private readonly keys: ReturnType<typeof keyPairOf>;
  private issued = 0;

  constructor(seed: string) {
    this.keys = keyPairOf(createHash('sha256').update(`faucet:${seed}`).digest());
  }

  get address(): Buffer {
    return this.keys.publicKey;
  }

  /** A signed transfer. Its compute unit limit counts up, so that equal transfers in one slot are different transactions. */
  transfer(options: { to: Buffer; lamports: bigint; blockhash: string }): Transaction {
    this.issued = (this.issued + 1) % MOST_TELLING_UNITS;
    const limit = Buffer.alloc(5);
    limit[0] = SET_COMPUTE_UNIT_LIMIT;
    limit.writeUInt32LE(LEAST_COMPUTE_UNITS + this.issued, 1);
    const transfer = Buffer.alloc(12);
    transfer.writeUInt32LE(TRANSFER);
    transfer.writeBigUInt64LE(options.lamports, 4);
    const keys = [this.address, options.to, SYSTEM_PROGRAM, COMPUTE_BUDGET];
    const message = Buffer.concat([
      Buffer.from([1, 0, 2, keys.length]),
      ...keys,
      fromBase58(options.blockhash),
      Buffer.from([2, 3, 0, limit.length]),
      limit,
      Buffer.from([2, 2, 0, 1, transfer.length]),
      transfer,
    ]);
    return parseTransaction(Buffer.concat([Buffer.from([1]), this.keys.sign(message), message]));
  }
}

/** LiteSVM, which executes transactions and checks their signatures. The ledger checks blockhashes and repeated transactions. */
import { Account, Clock, FailedTransactionMetadata, LiteSvm, type TransactionMetadata } from './litesvm';
import { fromBase58, keyOf } from './wire/bytes';
import type { Message, Transaction } from './wire/transaction';
import { transactionErrorOf, type TransactionError } from './wire/transaction-error';

const SLOTS_PER_EPOCH = 432_000;
const LAMPORTS_PER_SIGNATURE = 5_000n;
const COMPUTE_BUDGET = keyOf(fromBase58('ComputeBudget111111111111111111111111111111'));
const SET_COMPUTE_UNIT_PRICE = 3;
const PRECOMPILES = new Set(
  [
    'Ed25519SigVerify111111111111111111111111111',
    'KeccakSecp256k11111111111111111111111111111',
    'Secp256r1SigVerify1111111111111111111111111',
  ].map((id) => keyOf(fromBase58(id))),
);
/** Errors after which the fee is due although no instruction ran: only the fee payer could be loaded. */
const FEES_ONLY = new Set(['ProgramAccountNotFound', 'InvalidProgramForExecution', 'MaxLoadedAccountsDataSizeExceeded']);

/** An inner instruction. */
export interface InnerInstruction {
  programIndex: number;
  accounts: number[];
  /** Base64. */
  data: string;
  stackHeight: number;
}

/** The outcome of executing a transaction. */
export interface Outcome {
  error: TransactionError | null;
  logs: string[];
  /** One list per top-level instruction. */
  innerInstructions: InnerInstruction[][];
  unitsConsumed: number;
  returnData: { programId: Buffer; data: Buffer } | null;
  fee: bigint;
  /** Whether it is included in a block: it ran, or its fee is due anyway. */
  landed: boolean;
}

export interface AccountState {
  lamports: bigint;
  data: Buffer;
  owner: Buffer;
  executable: boolean;
}

/** A simulation's outcome, and the writable accounts as they would be afterwards. */
export interface Simulation {
  outcome: Outcome;
  accounts: Map<string, AccountState>;
}

export class Machine {
  private constructor(private readonly svm: LiteSvm) {
    svm.setBlockhashCheck(false);
    svm.setTransactionHistory(0n);
  }

  static create(): Machine {
    const machine = new Machine(new LiteSvm());
    machine.svm.withNativeMints();
    return machine;
  }

  static fromBytes(bytes: Buffer): Machine {
    return new Machine(LiteSvm.fromBytes(bytes));
  }

  toBytes(): Uint8Array {
    return this.svm.toBytes();
  }

  /** Sets the time and the slot that programs see. */
  setClock(options: { slot: number; unixSeconds: number }): void {
    const epoch = BigInt(Math.floor(options.slot / SLOTS_PER_EPOCH));
    this.svm.setClock(new Clock(BigInt(options.slot), 0n, epoch, epoch + 1n, BigInt(options.unixSeconds)));
  }

  account(address: Uint8Array): AccountState | null {
    const found = this.svm.getAccount(address);
    return found && stateOf(found);
  }

  balance(address: Uint8Array): bigint {
    return this.svm.getBalance(address) ?? 0n;
  }

  accountsOwnedBy(program: Uint8Array): { address: Buffer; state: AccountState }[] {
    return this.svm.getProgramAccounts(program).map((found) => ({ address: Buffer.from(found.address), state: stateOf(found.account()) }));
  }

  /** Sets a balance; only for the faucet of a new chain. */
  fund(address: Uint8Array, lamports: bigint): void {
    this.svm.setAccount(address, new Account(lamports, new Uint8Array(), new Uint8Array(32), false, 0n));
  }

  minimumBalance(dataLength: number): bigint {
    return this.svm.minimumBalanceForRentExemption(BigInt(dataLength));
  }

  addProgram(programId: Uint8Array, elf: Buffer): void {
    this.svm.addProgram(programId, elf);
  }

  /** Executes the transaction if its signatures are valid. A failed transaction pays its fee, unless it does not land. */
  execute(transaction: Transaction): Outcome {
    const payer = transaction.message.keys[0]!;
    const before = this.balance(payer);
    this.svm.setSigverify(true);
    const result = this.svm.sendVersionedTransaction(transaction.bytes);
    const outcome = this.outcomeOf(result, transaction.message);
    if (isFeesOnly(outcome.error)) outcome.landed = this.chargeFee({ payer, before, fee: outcome.fee });
    return outcome;
  }

  /** Executes the transaction, and undoes it if it fails, the fee included. */
  executeOrUndo(transaction: Transaction): Outcome {
    const payer = transaction.message.keys[0]!;
    const before = this.svm.getAccount(payer);
    const outcome = this.execute(transaction);
    // A failed transaction changes only the fee payer's balance.
    if (outcome.error && before) this.svm.setAccount(payer, before);
    return outcome;
  }

  /** Executes the transaction without changing the state. */
  simulate(transaction: Transaction, options: { checkSignatures: boolean }): Simulation {
    this.svm.setSigverify(options.checkSignatures);
    const result = this.svm.simulateVersionedTransaction(transaction.bytes);
    if (result instanceof FailedTransactionMetadata) {
      return { outcome: this.outcomeOf(result, transaction.message), accounts: new Map() };
    }
    const accounts = result.postAccounts().map((found) => [keyOf(found.address), stateOf(found.account())] as const);
    return { outcome: this.outcomeOf(result.meta(), transaction.message), accounts: new Map(accounts) };
  }

  /** Whether all signatures of the transaction are valid. */
  isFullySigned(transaction: Transaction): boolean {
    return this.simulate(transaction, { checkSignatures: true }).outcome.error !== 'SignatureFailure';
  }

  private outcomeOf(result: TransactionMetadata | FailedTransactionMetadata, message: Message): Outcome {
    const failed = result instanceof FailedTransactionMetadata;
    const meta = failed ? result.meta() : result;
    const returned = meta.returnData();
    const data = Buffer.from(returned.data());
    return {
      error: failed ? this.preciseError(transactionErrorOf(result.err()), message) : null,
      logs: meta.logs(),
      innerInstructions: meta.innerInstructions().map((list) =>
        list.map((inner) => ({
          programIndex: inner.instruction().programIdIndex(),
          accounts: [...inner.instruction().accounts()],
          data: Buffer.from(inner.instruction().data()).toString('base64'),
          stackHeight: inner.stackHeight(),
        })),
      ),
      unitsConsumed: Number(meta.computeUnitsConsumed()),
      returnData: data.length > 0 ? { programId: Buffer.from(returned.programId()), data } : null,
      fee: feeOf(message, meta),
      landed: !failed || meta.signature().some((byte) => byte !== 0) || isFeesOnly(transactionErrorOf(result.err())),
    };
  }

  /** LiteSVM reports a missing program as an account that is not a program. */
  private preciseError(error: TransactionError, message: Message): TransactionError {
    const isMissing = ({ programIndex }: { programIndex: number }) => this.balance(message.keys[programIndex]!) === 0n;
    if (error === 'InvalidProgramForExecution' && message.instructions.some(isMissing)) return 'ProgramAccountNotFound';
    return error;
  }

  /** Charges the fee of a transaction whose program could not be loaded, as a validator does. LiteSVM does not. */
  private chargeFee(options: { payer: Buffer; before: bigint; fee: bigint }): boolean {
    const { payer, before, fee } = options;
    const account = this.svm.getAccount(payer);
    if (!account || before < fee) return false;
    this.svm.setAccount(payer, new Account(before - fee, account.data(), account.owner(), false, account.rentEpoch()));
    return true;
  }
}

function isFeesOnly(error: TransactionError | null): boolean {
  return typeof error === 'string' && FEES_ONLY.has(error);
}

function stateOf(account: Account): AccountState {
  return {
    lamports: account.lamports(),
    data: Buffer.from(account.data()),
    owner: Buffer.from(account.owner()),
    executable: account.executable(),
  };
}

/** LiteSVM reports the fee in its debug text only. It is read there if it does not follow from the signatures alone. */
function feeOf(message: Message, meta: TransactionMetadata): bigint {
  const pricedApart = message.instructions.some(({ programIndex, data }) => {
    const program = keyOf(message.keys[programIndex]!);
    return PRECOMPILES.has(program) || (program === COMPUTE_BUDGET && data[0] === SET_COMPUTE_UNIT_PRICE);
  });
  const written = pricedApart ? /fee: (\d+) \}\)$/.exec(meta.toString())?.[1] : undefined;
  return written === undefined ? LAMPORTS_PER_SIGNATURE * BigInt(message.signerCount) : BigInt(written);
}

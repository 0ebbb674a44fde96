/** RPC methods that submit, simulate and return transactions. */
import { fromBase58, keyOf, toBase58 } from '../wire/bytes';
import { u64 } from '../wire/json';
import type { Entry } from '../storage/history';
import { returnDataOf, type Balances } from '../ledger';
import type { Outcome } from '../machine';
import { FINALITY_SLOTS } from '../slots';
import {
  MalformedTransaction,
  MAX_TRANSACTION_BYTES,
  parseMessage,
  parseTransaction,
  UnsaneTransaction,
  type Transaction,
} from '../wire/transaction';
import { describe, type TransactionError } from '../wire/transaction-error';
import { showAccount } from './account-view';
import type { Methods, Request } from './dispatch';
import { internalError, invalidParams, preflightFailure } from './errors';
import { parseInnerInstructions } from './instruction-view';
import { addressOf, signatureOf, type Config } from './params';
import { showTransaction, transactionView } from './transaction-view';

const MOST_STATUSES = 256;
const MOST_SIGNATURES = 1_000;
const MAX_ENCODED_LENGTH = { base58: 1_683, base64: 1_644 };
const KIND = 'solana_transaction::versioned::VersionedTransaction';

export const transactionMethods: Methods = {
  sendTransaction: (request) => {
    const config = request.config(1);
    const transaction = transactionOf(request.params.string(0), config);
    const skipPreflight = config.boolean('skipPreflight');
    const rejection = request.ledger.rejection(transaction);
    if (rejection && !skipPreflight) throw preflightError({ error: rejection, outcome: undefined });
    const outcome = rejection ? undefined : request.ledger.submit(transaction, { undoFailure: !skipPreflight });
    if (outcome?.error && !skipPreflight) throw preflightError({ error: outcome.error, outcome });
    return toBase58(transaction.signatures[0]!);
  },

  simulateTransaction: (request) => {
    const config = request.config(1);
    const transaction = transactionOf(request.params.string(0), config);
    const [checkSignatures, replace] = [config.boolean('sigVerify'), config.boolean('replaceRecentBlockhash')];
    if (checkSignatures && replace) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    const accounts = wantedAccounts(config);
    const error = replace ? undefined : request.ledger.rejection(transaction, { checkSignatures });
    const run = error ? undefined : request.ledger.simulate(transaction, { checkSignatures });
    const outcome = run?.outcome;
    const failure = error ?? outcome?.error ?? null;
    const balances = failure === 'SignatureFailure' ? NO_BALANCES : (run?.balances ?? request.ledger.currentBalances(transaction.message));
    return request.inContext({
      ...simulationResult(failure, outcome),
      ...balances,
      loadedAddresses: { readonly: [], writable: [] },
      accounts: accounts?.addresses.map((address) => {
        const account = outcome && !outcome.error ? (run?.accounts.get(keyOf(address)) ?? request.machine.account(address)) : null;
        const accountAt = (key: Buffer) => run?.accounts.get(keyOf(key)) ?? request.machine.account(key);
        return account && account.lamports > 0n ? showAccount(account, { encoding: accounts.encoding, accountAt }) : null;
      }),
      innerInstructions:
        config.boolean('innerInstructions') && outcome?.landed
          ? parseInnerInstructions(outcome.innerInstructions, transaction.message)
          : null,
      replacementBlockhash: replace ? newestBlockhash(request) : null,
    });
  },

  getSignatureStatuses: (request) => {
    const signatures = request.params.list(0);
    if (signatures.length > MOST_STATUSES) throw invalidParams(`Too many inputs provided; max ${MOST_STATUSES}`);
    const entries = signatures.map(signatureOf).map((id) => request.ledger.history.find(id));
    return request.inContext(entries.map((entry) => (entry ? statusOf(entry, request) : null)));
  },

  getTransaction: (request) => {
    const id = request.params.signature(0);
    const view = transactionView(request.params, 1);
    const entry = request.ledger.history.find(id);
    return entry ? showTransaction(request.ledger.history.read(entry), view) : null;
  },

  getSignaturesForAddress: (request) => {
    const address = keyOf(request.params.address(0));
    const config = request.config(1);
    const limit = config.number('limit') ?? MOST_SIGNATURES;
    if (limit === 0 || limit > MOST_SIGNATURES) throw invalidParams(`Invalid limit; max ${MOST_SIGNATURES}`);
    const [before, until] = [config.string('before'), config.string('until')];
    const entries = request.ledger.history.ofAddress(address, {
      limit,
      ...(before !== undefined && { before: signatureOf(before) }),
      ...(until !== undefined && { until: signatureOf(until) }),
    });
    return entries.map((entry) => ({
      signature: toBase58(Buffer.from(entry.id, 'latin1')),
      slot: entry.slot,
      err: entry.error,
      memo: entry.memo,
      blockTime: entry.unixSeconds,
      confirmationStatus: confirmationStatus(entry, request),
    }));
  },

  requestAirdrop: (request) => {
    const [to, lamports] = [request.params.address(0), request.params.number(1)];
    request.config(2);
    if (request.machine.balance(request.ledger.faucetAddress) < BigInt(lamports)) {
      throw internalError('the faucet has not so many lamports left');
    }
    return request.ledger.airdrop(to, BigInt(lamports));
  },

  getFeeForMessage: (request) => {
    request.config(1);
    const bytes = Buffer.from(request.params.string(0), 'base64');
    const message = sane(() => parseMessage(bytes));
    const lastValid = request.ledger.slots.lastValidSlot(message.blockhash);
    if (lastValid === undefined || lastValid < request.ledger.slots.current) return request.inContext(null);
    const unsigned = Buffer.concat([Buffer.from([message.signerCount]), Buffer.alloc(64 * message.signerCount), bytes]);
    const { outcome } = request.ledger.simulate(
      sane(() => parseTransaction(unsigned)),
      { checkSignatures: false },
    );
    return request.inContext(u64(outcome.fee));
  },
};

function transactionOf(text: string, config: Config): Transaction {
  const encoding = config.oneOf('encoding', ['base58', 'base64']) ?? 'base58';
  const max = MAX_ENCODED_LENGTH[encoding];
  if (text.length > max) {
    const limits = `(max: encoded/raw ${max}/${MAX_TRANSACTION_BYTES})`;
    throw invalidParams(`${encoding} encoded ${KIND} too large: ${text.length} bytes ${limits}`);
  }
  const bytes = encoding === 'base64' ? bytesOfBase64(text) : bytesOfBase58(text);
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw invalidParams(`decoded ${KIND} too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION_BYTES} bytes)`);
  }
  return sane(() => parseTransaction(bytes));
}

function bytesOfBase64(text: string): Buffer {
  const at = text.search(/[^A-Za-z0-9+/=]/);
  if (at >= 0) throw invalidParams(`invalid base64 encoding: InvalidByte(${at}, ${text.charCodeAt(at)})`);
  return Buffer.from(text, 'base64');
}

function bytesOfBase58(text: string): Buffer {
  try {
    return fromBase58(text);
  } catch {
    const index = text.search(/[^1-9A-HJ-NP-Za-km-z]/);
    throw invalidParams(`invalid base58 encoding: InvalidCharacter { character: '${text[index]}', index: ${index} }`);
  }
}

function sane<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof MalformedTransaction) throw invalidParams(`failed to deserialize ${KIND}: ${error.message}`);
    if (error instanceof UnsaneTransaction) throw invalidParams(`invalid transaction: ${error.message}`);
    throw error;
  }
}

function preflightError(options: { error: TransactionError; outcome: Outcome | undefined }): Error {
  const { error, outcome } = options;
  const unknown = {
    accounts: null,
    innerInstructions: null,
    loadedAddresses: null,
    replacementBlockhash: null,
    ...NO_BALANCES,
  };
  return preflightFailure(describe(error), { ...simulationResult(error, outcome), ...unknown });
}

function simulationResult(error: TransactionError | null, outcome: Outcome | undefined): Record<string, unknown> {
  return {
    err: error,
    logs: outcome?.logs ?? [],
    unitsConsumed: outcome?.unitsConsumed ?? 0,
    returnData: outcome ? returnDataOf(outcome) : null,
    fee: outcome?.landed ? Number(outcome.fee) : null,
  };
}

const NO_BALANCES: { [Name in keyof Balances]: null } = {
  preBalances: null,
  postBalances: null,
  preTokenBalances: null,
  postTokenBalances: null,
};

function wantedAccounts(config: Config): { addresses: Buffer[]; encoding: 'base64' | 'jsonParsed' } | null {
  const accounts = config.object('accounts');
  if (!accounts) return null;
  const encoding = accounts.oneOf('encoding', ['base58', 'base64', 'jsonParsed']) ?? 'base64';
  if (encoding === 'base58') throw invalidParams('base58 encoding not supported');
  return { addresses: (accounts.list('addresses') ?? []).map(addressOf), encoding };
}

function newestBlockhash({ ledger: { slots } }: Request): { blockhash: string; lastValidBlockHeight: number } {
  const blockhash = slots.blockhashOf(slots.current);
  return { blockhash, lastValidBlockHeight: slots.lastValidSlot(blockhash) ?? slots.current };
}

function statusOf(entry: Entry, request: Request): Record<string, unknown> {
  const confirmations = request.ledger.slots.current - entry.slot;
  return {
    slot: entry.slot,
    confirmations: confirmations >= FINALITY_SLOTS ? null : confirmations,
    err: entry.error,
    status: entry.error ? { Err: entry.error } : { Ok: null },
    confirmationStatus: confirmationStatus(entry, request),
  };
}

function confirmationStatus(entry: Entry, { ledger: { slots } }: Request): string {
  return slots.current - entry.slot >= FINALITY_SLOTS ? 'finalized' : 'confirmed';
}

/** Transactions for the signature of an operator's chain key, by the code of libs/chain that makes them. */
import { Keypair, PublicKey, type TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { acceptanceText, PROGRAM_ADDRESS, type PolicyChange } from '../../chain/src';
import { verifyAcceptance } from '../../chain/src/accounts/acceptance';
import { fundChannel } from '../../chain/src/channels/purse-instructions';
import { setPolicyArgs } from '../../chain/src/policy/policy-data';
import { Addresses } from '../../chain/src/program/addresses';
import { toBn } from '../../chain/src/program/idl';
import { instruction } from '../../chain/src/program/instruction';
import { compile } from '../../chain/src/tx/build';

const key = (): PublicKey => Keypair.generate().publicKey;

export const operator = Keypair.generate();
export const feePayer = Keypair.generate();
export const chainKey = operator.publicKey.toBase58();
export const programId = new PublicKey(PROGRAM_ADDRESS);
/** The accounts of the instructions, by the names that the program gives them. `operator` signs. */
export const accounts = Object.fromEntries(
  [
    ...['account', 'policy', 'authority', 'token_account', 'mint', 'destination', 'creator', 'delegate', 'draft', 'session', 'escrow'],
    ...['payee', 'payee_token_account', 'new_operator', 'rent_payer', 'fleet', 'purse', 'key', 'key_token_account'],
  ].map((name) => [name, key()]),
);
Object.assign(accounts, {
  operator: operator.publicKey,
  payer: feePayer.publicKey,
  rent_recipient: feePayer.publicKey,
  owner: accounts.account,
});

/** An amount as Anchor takes it. */
export const micro = toBn;

/** The address of one of them. */
export const at = (name: string): string => accounts[name]?.toBase58() ?? '';

export function operation(name: string, args: object = {}, others: Record<string, PublicKey | undefined> = {}, program = programId) {
  return instruction(program, name, { ...accounts, draft: undefined, fleet: undefined, ...others }, args);
}

export function policyChange(
  change: PolicyChange,
  version: bigint | null = 4n,
  program = programId,
  owner = accounts.owner,
): TransactionInstruction {
  return operation('set_policy', { args: setPolicyArgs(change, version, false) }, { owner }, program);
}

/** A funding of a channel purse, as libs/chain makes it, approved by `approvedBy`. */
export function funding(approvedBy = chainKey, key = at('key')): TransactionInstruction[] {
  const order = {
    address: at('account'),
    tokenAccount: at('token_account'),
    purseId: new Uint8Array(16),
    microUsdc: 30_000_000n,
    category: null,
  };
  const keys = { key, authority: at('authority'), approvedBy };
  const addresses = new Addresses(programId, accounts.mint ?? programId);
  return fundChannel(addresses, { ...order, ...keys, expiresInSeconds: 86_400 }, 1n, feePayer.publicKey);
}

export function handOver(account = accounts.account, to = accounts.new_operator): TransactionInstruction {
  return operation('set_operator', {}, { account, new_operator: to });
}

/** The signature that the runtime verifies before a hand-over. The signature is not a valid one: only the runtime looks at it. */
export function accepted(address = at('new_operator'), of = chainKey, beginning = ''): TransactionInstruction {
  const text = acceptanceText(of, new Uint8Array(16));
  return verifyAcceptance({ address, text: beginning + text.slice(beginning.length), signature: new Uint8Array(64).fill(7) });
}

/** As `libs/chain` compiles it: with a compute budget, unsigned, in base64. */
export function transactionOf(...instructions: TransactionInstruction[]): string {
  const draft = { instructions, feePayer: feePayer.publicKey, computeUnits: 20_000, microLamportsPerUnit: 7n };
  return base64Of(compile(draft, key().toBase58()));
}

/** In the version with a number, and with any fee payer. */
export function versionedOf(instructions: TransactionInstruction[], payerKey = feePayer.publicKey): VersionedTransaction {
  const message = new TransactionMessage({ payerKey, recentBlockhash: key().toBase58(), instructions });
  return new VersionedTransaction(message.compileToV0Message());
}

export function base64Of(transaction: VersionedTransaction | Uint8Array): string {
  return Buffer.from('serialize' in transaction ? transaction.serialize() : transaction).toString('base64');
}

/** The provider's wallet: it owns the token account that is paid, and settles vouchers. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromBytes,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createTransactionMessage,
  getAddressDecoder,
  getAddressEncoder,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { TOKEN_ACCOUNT_PROGRAM, TOKEN_PROGRAM, tokenAccountOf } from './session-account.mjs';
import { voucherBytes } from './session-method.mjs';

/** @typedef {import('@solana/kit').Address} Address */

const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
const ED25519_PROGRAM = address('Ed25519SigVerify111111111111111111111111111');
const INSTRUCTIONS = address('Sysvar1nstructions1111111111111111111111111');
const SETTLE_SESSION = Uint8Array.from([156, 20, 180, 117, 117, 85, 225, 128]);
/** Offsets in the paying account: whether it is a member of a fleet, and its operator or fleet. */
const IS_MEMBER_AT = 10;
const CONTROLLER_AT = 64;
/** Enough for a token account and thousands of fees. */
const LEAST_LAMPORTS = 10_000_000n;
const AIRDROP_LAMPORTS = 1_000_000_000n;
const CONFIRM_WITHIN_MS = 30_000;
const POLL_MS = 100;

/** Reads a keypair from a file or from its JSON; without a setting from `ownFile`, which is created at the first start. */
export async function loadKey(/** @type {string | undefined} */ setting, /** @type {string} */ ownFile) {
  if (setting === undefined && !existsSync(ownFile)) {
    const seed = crypto.getRandomValues(new Uint8Array(32));
    const { address: owner } = await createKeyPairSignerFromPrivateKeyBytes(seed);
    writeFileSync(ownFile, JSON.stringify([...seed, ...getAddressEncoder().encode(owner)]), { mode: 0o600, flag: 'wx' });
  }
  const path = setting ?? ownFile;
  const bytes = Uint8Array.from(JSON.parse(existsSync(path) ? readFileSync(path, 'utf8') : path));
  return { signer: await createKeyPairSignerFromBytes(bytes), seed: bytes.subarray(0, 32) };
}

export class Wallet {
  #rpc;
  #signer;
  #program;
  #mint;

  /** @param {{ rpcUrl: string, program: Address, mint: Address, signer: import('@solana/kit').KeyPairSigner }} wallet */
  constructor({ rpcUrl, program, mint, signer }) {
    // Only test chains have airdrops. On others the request fails.
    this.#rpc = createSolanaRpc(/** @type {import('@solana/kit').DevnetUrl} */ (rpcUrl));
    this.#signer = signer;
    this.#program = program;
    this.#mint = mint;
  }

  /** Creates the token account of the payee if it is missing. Sessions and charges need it. */
  async prepare() {
    const owner = this.#signer.address;
    const tokenAccount = await tokenAccountOf(owner, this.#mint);
    const { value } = await this.#rpc.getAccountInfo(tokenAccount, { encoding: 'base64', commitment: 'confirmed' }).send();
    if (value) return;
    await this.fund();
    const accounts = [
      { address: owner, role: AccountRole.WRITABLE_SIGNER },
      { address: tokenAccount, role: AccountRole.WRITABLE },
      ...[owner, this.#mint, SYSTEM_PROGRAM, TOKEN_PROGRAM].map((one) => ({ address: one, role: AccountRole.READONLY })),
    ];
    await this.#send([{ programAddress: TOKEN_ACCOUNT_PROGRAM, accounts, data: Uint8Array.of(1) }]); // creates it unless it exists
  }

  /**
   * Settles a voucher. Anyone may do so until the session has ended. Repeating it pays nothing more.
   * @param {import('./session-account.mjs').Session} session @param {import('./accepted-vouchers.mjs').Accepted} accepted
   */
  async settle(session, { channelId, cumulative, expiresAt, signature }) {
    await this.prepare(); // without the token account the voucher is recorded and not paid
    const message = voucherBytes(channelId, BigInt(cumulative), BigInt(expiresAt));
    if (!message) throw new Error(`the voucher of ${channelId} does not fit`);
    const writable = [session.account, address(channelId), session.escrow];
    const accounts = [
      ...writable.map((one) => ({ address: one, role: AccountRole.WRITABLE })),
      ...[this.#mint, session.payee].map((one) => ({ address: one, role: AccountRole.READONLY })),
      { address: session.payeeTokenAccount, role: AccountRole.WRITABLE },
      ...[INSTRUCTIONS, TOKEN_PROGRAM].map((one) => ({ address: one, role: AccountRole.READONLY })),
      await this.#fleetOf(session.account),
    ];
    // The runtime verifies the signature in the preceding instruction, which the program reads.
    return this.#send([
      verification(session.voucherKey, signature, message),
      { programAddress: this.#program, accounts, data: SETTLE_SESSION },
    ]);
  }

  /**
   * The fleet of the paying account, which counts what leaves; the program stands for none. @param {Address} account
   */
  async #fleetOf(account) {
    const { value } = await this.#rpc.getAccountInfo(account, { encoding: 'base64', commitment: 'confirmed' }).send();
    const data = Buffer.from(value?.data[0] ?? '', 'base64');
    if (data[IS_MEMBER_AT] !== 1) return { address: this.#program, role: AccountRole.READONLY };
    const fleet = getAddressDecoder().decode(data.subarray(CONTROLLER_AT, CONTROLLER_AT + 32));
    return { address: fleet, role: AccountRole.WRITABLE };
  }

  /** Requests an airdrop if the wallet has too few lamports for the token account and fees. @throws Error if there is no airdrop. */
  async fund() {
    const owner = this.#signer.address;
    const balance = async () => (await this.#rpc.getBalance(owner, { commitment: 'confirmed' }).send()).value;
    if ((await balance()) >= LEAST_LAMPORTS) return;
    await this.#rpc
      .requestAirdrop(owner, lamports(AIRDROP_LAMPORTS))
      .send()
      .catch((error) => {
        throw new Error(`${owner} needs ${LEAST_LAMPORTS} lamports for fees and its token account: send it some. (${error.message})`);
      });
    await until(async () => (await balance()) >= LEAST_LAMPORTS, 'the airdrop');
  }

  /** @param {import('@solana/kit').Instruction[]} instructions */
  async #send(instructions) {
    const { value: blockhash } = await this.#rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayerSigner(this.#signer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(blockhash, paid),
      (timed) => appendTransactionMessageInstructions(instructions, timed),
    );
    const transaction = await signTransactionMessageWithSigners(message);
    const signature = getSignatureFromTransaction(transaction);
    await this.#rpc
      .sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64', preflightCommitment: 'confirmed' })
      .send();
    await until(async () => {
      const [status] = (await this.#rpc.getSignatureStatuses([signature]).send()).value;
      if (status?.err) throw new Error(`${signature} failed: ${JSON.stringify(status.err)}`);
      return status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized';
    }, signature);
    return signature;
  }
}

/**
 * The ed25519 instruction with one signature, its key and its message inside, the only form that the program accepts.
 * @param {Address} key @param {string} signature @param {Uint8Array} message
 */
function verification(key, signature, message) {
  const [keyAt, signatureAt, messageAt, here] = [16, 48, 112, 0xffff];
  const data = Buffer.alloc(messageAt + message.length);
  data.writeUInt8(1, 0);
  [signatureAt, here, keyAt, here, messageAt, message.length, here].forEach((value, index) => data.writeUInt16LE(value, 2 + 2 * index));
  data.set(getAddressEncoder().encode(key), keyAt);
  data.set(getBase58Encoder().encode(signature), signatureAt);
  data.set(message, messageAt);
  return { programAddress: ED25519_PROGRAM, accounts: [], data: Uint8Array.from(data) };
}

/** @param {() => Promise<boolean>} check @param {string} what */
async function until(check, what) {
  const deadline = performance.now() + CONFIRM_WITHIN_MS;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`${what} was not confirmed within ${CONFIRM_WITHIN_MS / 1000} seconds`);
    await pause(POLL_MS);
  }
}

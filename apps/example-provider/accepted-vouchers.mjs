/** The highest voucher of every session. It is on disk before anything is served for it, because a lost voucher is not paid. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * @typedef {object} Accepted
 * @property {string} channelId
 * @property {string} cumulative micro-USDC, a decimal text
 * @property {string} spent micro-USDC of what was served, less than `cumulative` if a payer signed more than the price
 * @property {string} signature base58
 * @property {number} expiresAt unix seconds; 0 if the voucher does not expire
 * @property {string} challengeId the challenge that it answers
 * @property {string} acceptedAt
 */

/** A file with one line of JSON for each voucher. The last line of a session counts. */
export class AcceptedVouchers {
  /** @type {Map<string, Accepted>} */
  #latest = new Map();
  #lines = '';
  /** @type {Promise<void> | undefined} */
  #batch;
  /** @type {Promise<void>} */
  #written = Promise.resolve();
  #file;

  /** @param {import('node:fs/promises').FileHandle} file @param {Accepted[]} accepted */
  constructor(file, accepted) {
    this.#file = file;
    for (const one of accepted) this.#latest.set(one.channelId, one);
  }

  /** @param {string} path */
  static async open(path) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // A line that a crash cut off was not served, so it is dropped.
    const lines = text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '');
    const latest = new Map(
      lines.map((line) => /** @type {Accepted} */ (JSON.parse(line))).map((accepted) => [accepted.channelId, accepted]),
    );
    writeFileSync(`${path}.new`, [...latest.values()].map((accepted) => `${JSON.stringify(accepted)}\n`).join(''), {
      mode: 0o600,
      flush: true,
    });
    renameSync(`${path}.new`, path);
    return new AcceptedVouchers(await open(path, 'a', 0o600), [...latest.values()]);
  }

  /** @param {string} channelId */
  latest(channelId) {
    return this.#latest.get(channelId);
  }

  all() {
    return [...this.#latest.values()];
  }

  /**
   * Stores a voucher. Returns when it is on disk. Vouchers that arrive during a write are written together. After a failed write every
   * further call fails.
   * @param {Accepted} accepted
   */
  async store(accepted) {
    this.#lines += `${JSON.stringify(accepted)}\n`;
    this.#batch ??= this.#written.then(() => this.#write());
    this.#written = this.#batch;
    await this.#batch;
    this.#latest.set(accepted.channelId, accepted);
  }

  async #write() {
    const lines = this.#lines;
    this.#lines = '';
    this.#batch = undefined;
    await this.#file.appendFile(lines);
    await this.#file.datasync();
  }

  async close() {
    await this.#written;
    await this.#file.close();
  }
}

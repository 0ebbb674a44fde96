import { PublicKey } from '@solana/web3.js';
import type { Addresses } from '../program/addresses';
import { COMPUTE_UNITS } from '../program/compute-units';
import { coder } from '../program/idl';
import type { Rpc } from '../rpc/client';
import { errorOf, reasonOf } from '../tx/executed';
import type { Runner } from '../tx/runner';
import type { Signer } from '../tx/signing/signer';
import { decodeSession } from './session-data';
import type { ChainSession } from './session.types';
import { type ChainSessions, GONE } from './sessions';

/** Errors if a session cannot be written off yet. */
const STILL_DUE = ['claim_not_expired', 'payee_can_receive', 'session_not_owed'];
/** Offset of the paying account in a session: behind the discriminator and eight bytes. */
const SESSION_ACCOUNT_OFFSET = 16;

/** Sessions that ended and owe their payee, which could not receive it. */
export class OwedSessions {
  constructor(
    private readonly rpc: Rpc,
    private readonly runner: Runner,
    private readonly addresses: Addresses,
    private readonly sessions: ChainSessions,
  ) {}

  /**
   * Takes back what the account's sessions owe to payees that could not receive it for 90 days. Other sessions stay. Returns how many
   * were written off. @throws ChainRefusedError with the program's reason; ChainOutcomeUnknownError; ChainUnavailableError.
   */
  async writeOff(account: string, operator: Signer): Promise<number> {
    let count = 0;
    for (const session of await this.owedBy(account)) {
      const write = await this.sessions.settlement('write_off_session', session, { operator: new PublicKey(operator.address) });
      const isShown = async (slot: number) => (await this.sessions.sessions([session.address], slot))[0] === null;
      const executed = await this.runner.execute([write], COMPUTE_UNITS.closeSession, [operator], isShown);
      if (executed.kind === 'landed') count++;
      else if (![...GONE, ...STILL_DUE].includes(reasonOf(executed))) throw errorOf(executed, 'write_off_session');
    }
    return count;
  }

  /** The account's sessions that ended and owe their payee. */
  private async owedBy(account: string): Promise<ChainSession[]> {
    const filters = [coder.accounts.memcmp('Session'), { offset: SESSION_ACCOUNT_OFFSET, bytes: account }].map((memcmp) => ({ memcmp }));
    const found = await this.rpc.read('no sessions', (connection) => connection.getProgramAccounts(this.addresses.programId, { filters }));
    return found.map(({ pubkey, account: { data } }) => decodeSession(pubkey.toBase58(), data)).filter(({ status }) => status === 'owed');
  }
}

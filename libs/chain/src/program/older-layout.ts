/** Accounts that an earlier version of the program wrote, and this one refuses. */
import { Connection, PublicKey } from '@solana/web3.js';
import bs58 from 'bs58';
import { PROGRAM_ID, coder } from './idl';

/** Layout versions before `LAYOUT_VERSION` of the program. */
const OLDER_VERSIONS = [1, 2];
/** The version is the first byte behind the discriminator. */
const VERSION_OFFSET = 8;

/** Whether a node has accounts of agents in an older layout. Reads no more than their addresses. */
export async function hasOlderAccounts(rpcUrl: string, programId = PROGRAM_ID.toBase58()): Promise<boolean> {
  const connection = new Connection(rpcUrl, 'confirmed');
  const found = await Promise.all(
    OLDER_VERSIONS.map((version) =>
      connection.getProgramAccounts(new PublicKey(programId), {
        dataSlice: { offset: 0, length: 0 },
        filters: [{ memcmp: coder.accounts.memcmp('AgentAccount') }, { memcmp: { offset: VERSION_OFFSET, bytes: bs58.encode([version]) } }],
      }),
    ),
  );
  return found.some((accounts) => accounts.length > 0);
}

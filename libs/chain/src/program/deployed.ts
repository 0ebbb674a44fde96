/** The program on the chain: it must have everything that this version of the service calls. */
import { MINT_SIZE, TOKEN_PROGRAM_ID, unpackMint } from '@solana/spl-token';
import { PublicKey, type AccountInfo } from '@solana/web3.js';
import { ChainMismatchError } from '../chain.errors';
import type { Rpc } from '../rpc/client';
import type { ChainIdentity } from '../rpc/clusters';
import { idl, USDC_DECIMALS } from './idl';

const UPGRADEABLE_LOADER = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111');
/** A program of the upgradeable loader: a tag of four bytes, then the address of its code. */
const CODE_ADDRESS_AT = 4;
const ELF_MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
/** Names in the message about an older program. */
const NAMED = 3;

/** The address at which a program's code lies: its own, or the one that the upgradeable loader names. */
export function codeAddress(programId: string, { owner, data }: AccountInfo<Buffer>): string {
  if (!owner.equals(UPGRADEABLE_LOADER)) return programId;
  return new PublicKey(data.subarray(CODE_ADDRESS_AT, CODE_ADDRESS_AT + 32)).toBase58();
}

/**
 * The instructions and errors of the interface that the code does not have, by their names: it is an older program. Anchor logs each
 * instruction's name and each error's message, so that both stand in the code as text, whichever compiler built it.
 */
export function missingFrom(code: Buffer): string[] {
  if (!code.includes(ELF_MAGIC)) return []; // A node may serve no code of its built-in programs.
  const instructions = idl.instructions.filter(({ name }) => !code.includes(`Instruction: ${pascalCase(name)}`));
  const errors = (idl.errors ?? []).filter(({ msg }) => !code.includes(msg ?? ''));
  return [...instructions, ...errors].map(({ name }) => name);
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Checks that the program and the mint exist on chain, as this version needs them. @throws ChainMismatchError; ChainUnavailableError */
export async function requireDeployed(rpc: Rpc, { programId, usdcMint }: ChainIdentity): Promise<void> {
  const [program, mint] = await rpc.accounts([programId, usdcMint]);
  if (!program?.executable) throw new ChainMismatchError(`there is no program at ${programId} (PROGRAM_ID)`);
  await requireCurrent(rpc, programId, program);
  if (!mint?.owner.equals(TOKEN_PROGRAM_ID) || mint.data.length !== MINT_SIZE)
    throw new ChainMismatchError(`${usdcMint} (USDC_MINT) is no mint of the classic Token program`);
  const { decimals } = unpackMint(new PublicKey(usdcMint), mint);
  if (decimals !== USDC_DECIMALS) throw new ChainMismatchError(`the mint ${usdcMint} has ${decimals} decimals, USDC has ${USDC_DECIMALS}`);
}

/** @throws ChainMismatchError if the program is older than this version of the service. */
async function requireCurrent(rpc: Rpc, programId: string, program: AccountInfo<Buffer>): Promise<void> {
  const address = codeAddress(programId, program);
  const [code] = address === programId ? [program] : await rpc.accounts([address]);
  const missing = missingFrom(code?.data ?? program.data);
  if (missing.length === 0) return;
  const some = missing.slice(0, NAMED).join(', ');
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : '';
  throw new ChainMismatchError(
    `the program at ${programId} (PROGRAM_ID) is older than this version of the service: it does not have ${some}${more}. ` +
      'Upgrade it to libs/chain/program/agent_policy.so of this version',
  );
}

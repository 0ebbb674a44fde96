/** Whether the program on the chain has everything that this version of the service calls. */
import { PublicKey, type AccountInfo } from '@solana/web3.js';
import { idl } from './idl';

const UPGRADEABLE_LOADER = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111');
/** A program of the upgradeable loader: a tag of four bytes, then the address of its code. */
const CODE_ADDRESS_AT = 4;
const ELF_MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

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

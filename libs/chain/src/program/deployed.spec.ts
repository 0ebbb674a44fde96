import { readFileSync } from 'node:fs';
import { codeAddress, missingFrom } from './deployed';
import { PublicKey } from '@solana/web3.js';
import { PROGRAM_FILE } from './program-file';

const code = readFileSync(PROGRAM_FILE);
/** The code with one text overwritten, as in a program from before the text was added. */
const without = (text: string): Buffer => Buffer.from(code.toString('latin1').replaceAll(text, '?'.repeat(text.length)), 'latin1');

describe('missingFrom', () => {
  it('missingFrom finds every instruction and error of the interface in the committed program', () => {
    expect(missingFrom(code)).toEqual([]);
    expect(missingFrom(Buffer.concat([Buffer.alloc(45), code, Buffer.alloc(1_000)]))).toEqual([]);
  });

  it('missingFrom names an instruction and an error that an older program does not have', () => {
    expect(missingFrom(without('Instruction: WriteOffSession'))).toEqual(['write_off_session']);
    expect(missingFrom(without('The delegate was used for the charge before'))).toEqual(['DelegateUsed']);
  });
});

describe('codeAddress', () => {
  const account = (owner: string, data: Buffer) => ({ owner: new PublicKey(owner), data, executable: true, lamports: 1 });

  it('codeAddress returns the address that a program of the upgradeable loader names', () => {
    const address = new PublicKey(Buffer.alloc(32, 7));
    const data = Buffer.concat([Buffer.from([2, 0, 0, 0]), address.toBytes()]);
    expect(codeAddress('program', account('BPFLoaderUpgradeab1e11111111111111111111111', data))).toBe(address.toBase58());
  });

  it('codeAddress returns the program itself for another loader', () => {
    expect(codeAddress('program', account('BPFLoader2111111111111111111111111111111111', code))).toBe('program');
  });
});

/** The compiled program, for chains that this service deploys to: the embedded one and test validators. */
import { join } from 'node:path';
import { PROGRAM_ID } from './program';

/** From `libs/chain/src/solana` and from `dist/libs/chain/src/solana` alike, the package's root is where package.json lies. */
const root = __dirname.includes(`${join('dist', 'libs')}`) ? join(__dirname, '../../../../..') : join(__dirname, '../../../..');

export const PROGRAM_ADDRESS = PROGRAM_ID.toBase58();
export const PROGRAM_FILE = join(root, 'libs/chain/program/agent_policy.so');

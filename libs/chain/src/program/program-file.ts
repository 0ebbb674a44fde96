/** The compiled program, for chains that this service deploys to: the embedded one and test validators. */
import { join } from 'node:path';
import { PAYMENT_CHANNELS } from '../channels/payment-channels';
import { PROGRAM_ID } from './idl';

/** The package root: the same from `libs/chain/src/program` and from `dist/libs/chain/src/program`. */
const root = __dirname.includes(`${join('dist', 'libs')}`) ? join(__dirname, '../../../../..') : join(__dirname, '../../../..');

export const PROGRAM_ADDRESS = PROGRAM_ID.toBase58();
export const PROGRAM_FILE = join(root, 'libs/chain/program/agent_policy.so');

/** The program payment-channels, which metered sellers speak: deployed beside ours on the embedded chain and test validators. */
export const PAYMENT_CHANNELS_ADDRESS = PAYMENT_CHANNELS.toBase58();
export const PAYMENT_CHANNELS_FILE = join(root, 'libs/chain/payment-channels/payment_channels.so');

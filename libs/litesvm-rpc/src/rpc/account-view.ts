/** An account as RPC nodes return it. */
import { toBase58 } from '../wire/bytes';
import { U64_MAX, u64, type JsonU64 } from '../wire/json';
import type { AccountState } from '../machine';
import { parsedTokenData, TOKEN_PROGRAM, tokenProgramOf } from '../wire/tokens';
import { invalidRequest } from './errors';
import type { Config } from './params';

const ACCOUNT_ENCODINGS = ['base58', 'base64', 'jsonParsed'] as const;
const MAX_BASE58_BYTES = 128;
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';
const CLOCK_BYTES = 40;
const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const PROGRAM_BYTES = 36;

export interface AccountView {
  /** `binary` is the default without an encoding: bare base58. */
  encoding: (typeof ACCOUNT_ENCODINGS)[number] | 'binary';
  slice?: { offset: number; length: number };
  accountAt(address: Buffer): AccountState | null;
}

export interface UiAccount {
  data: unknown;
  executable: boolean;
  lamports: JsonU64;
  owner: string;
  rentEpoch: JsonU64;
  space: number;
}

/** Reads the encoding and slice from the request. */
export function accountView(config: Config, accountAt: AccountView['accountAt']): AccountView {
  const slice = config.object('dataSlice');
  return {
    encoding: config.oneOf('encoding', ACCOUNT_ENCODINGS) ?? 'binary',
    ...(slice && { slice: { offset: slice.number('offset') ?? 0, length: slice.number('length') ?? 0 } }),
    accountAt,
  };
}

export function showAccount(account: AccountState, view: AccountView): UiAccount {
  const owner = toBase58(account.owner);
  return {
    data: showData(account, owner, view),
    executable: account.executable,
    lamports: u64(account.lamports),
    owner,
    rentEpoch: owner === SYSVAR_OWNER ? 0 : U64_MAX,
    space: account.data.length,
  };
}

function showData(account: AccountState, owner: string, view: AccountView): unknown {
  const { slice } = view;
  const data = slice ? account.data.subarray(slice.offset, slice.offset + slice.length) : account.data;
  if (view.encoding === 'jsonParsed') {
    return parse(account, owner, view) ?? [data.toString('base64'), 'base64'];
  }
  if (view.encoding === 'base64') return [data.toString('base64'), 'base64'];
  if (data.length > MAX_BASE58_BYTES) {
    throw invalidRequest('Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.');
  }
  return view.encoding === 'base58' ? [toBase58(data), 'base58'] : toBase58(data);
}

function parse(account: AccountState, owner: string, view: AccountView): unknown {
  const space = account.data.length;
  const token = parsedTokenData(account, view.accountAt);
  if (token) {
    return {
      program: tokenProgramOf(account) === TOKEN_PROGRAM ? 'spl-token' : 'spl-token-2022',
      parsed: token,
      space,
    };
  }
  if (owner === SYSVAR_OWNER && space === CLOCK_BYTES) {
    return { program: 'sysvar', parsed: { type: 'clock', info: clockInfo(account.data) }, space };
  }
  if (owner === UPGRADEABLE_LOADER && space === PROGRAM_BYTES) {
    const info = { programData: toBase58(account.data.subarray(4)) };
    return { program: 'bpf-upgradeable-loader', parsed: { type: 'program', info }, space };
  }
  return undefined;
}

function clockInfo(data: Buffer): Record<string, JsonU64> {
  return {
    slot: u64(data.readBigUInt64LE(0)),
    epochStartTimestamp: Number(data.readBigInt64LE(8)),
    epoch: u64(data.readBigUInt64LE(16)),
    leaderScheduleEpoch: u64(data.readBigUInt64LE(24)),
    unixTimestamp: Number(data.readBigInt64LE(32)),
  };
}

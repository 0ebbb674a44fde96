/** RPC methods that read accounts. */
import { keyOf, toBase58, fromBase58 } from '../wire/bytes';
import { u64 } from '../wire/json';
import type { AccountState } from '../machine';
import { isTokenProgram, mintOf, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, tokenAccountOf, tokenAmount, tokenProgramOf } from '../wire/tokens';
import { accountView, showAccount } from './account-view';
import { accountFilter } from './account-filters';
import type { Methods, Request } from './dispatch';
import { invalidParams } from './errors';
import { addressOf, type Config } from './params';

const MOST_ACCOUNTS = 100;
/** The largest size of an account. */
const MAX_ACCOUNT_BYTES = 10 * 1024 * 1024;

export const accountMethods: Methods = {
  getAccountInfo: (request) => {
    const config = request.config(1);
    const account = request.machine.account(request.params.address(0));
    return request.inContext(account && showAccount(account, viewOf(request, config)));
  },

  getMultipleAccounts: (request) => {
    const addresses = request.params.list(0);
    const config = request.config(1);
    if (addresses.length > MOST_ACCOUNTS) throw invalidParams(`Too many inputs provided; max ${MOST_ACCOUNTS}`);
    const view = viewOf(request, config);
    const accounts = addresses.map(addressOf).map((address) => request.machine.account(address));
    // Only here base64 is the default without an encoding.
    if (view.encoding === 'binary') view.encoding = 'base64';
    return request.inContext(accounts.map((account) => account && showAccount(account, view)));
  },

  getProgramAccounts: (request) => {
    const config = request.config(1);
    const program = request.params.address(0);
    const matches = accountFilter(config.list('filters') ?? []);
    const found = show(
      request,
      config,
      request.machine.accountsOwnedBy(program).filter(({ state }) => matches(state)),
    );
    return config.boolean('withContext') ? request.inContext(found) : found;
  },

  getBalance: (request) => {
    request.config(1);
    return request.inContext(u64(request.machine.balance(request.params.address(0))));
  },

  getTokenAccountBalance: (request) => {
    const account = found(request.machine.account(request.params.address(0)), 'could not find account');
    request.config(1);
    if (!tokenProgramOf(account)) throw invalidParams('Invalid param: not a Token account');
    const held = tokenAccountOf(account);
    const mint = held && request.machine.account(held.mint);
    const decimals = mint && mintOf(mint)?.decimals;
    if (!held || typeof decimals !== 'number') throw invalidParams('Invalid param: not a Token account');
    return request.inContext(tokenAmount(held.amount, decimals));
  },

  getTokenSupply: (request) => {
    const account = found(request.machine.account(request.params.address(0)), 'could not find account');
    request.config(1);
    if (!tokenProgramOf(account)) throw invalidParams('Invalid param: not a Token mint');
    const mint = mintOf(account);
    if (!mint) throw invalidParams('Invalid param: mint could not be unpacked');
    return request.inContext(tokenAmount(mint.supply, mint.decimals));
  },

  getTokenAccountsByOwner: (request) =>
    tokenAccounts(request, (owner) => (account) => tokenAccountOf(account)?.owner.equals(owner) ?? false),

  getTokenAccountsByDelegate: (request) =>
    tokenAccounts(request, (delegate) => (account) => tokenAccountOf(account)?.delegate?.equals(delegate) ?? false),

  getMinimumBalanceForRentExemption: (request) => {
    const length = request.params.number(0);
    if (length > MAX_ACCOUNT_BYTES) throw invalidParams(`Invalid param: an account has at most ${MAX_ACCOUNT_BYTES} bytes`);
    return u64(request.machine.minimumBalance(length));
  },
};

function tokenAccounts(request: Request, matching: (key: Buffer) => (account: AccountState) => boolean): unknown {
  const isWanted = matching(request.params.address(0));
  const filter = request.params.config(1);
  const config = request.config(2);
  const programId = filter.string('programId');
  const mint = filter.string('mint');
  if (programId !== undefined && !isTokenProgram(programId)) {
    throw invalidParams('Invalid param: unrecognized Token program id');
  }
  if (programId === undefined && mint === undefined) throw invalidParams('Invalid params: missing `mint` or `programId`.');
  const mintAddress = mint === undefined ? undefined : addressOf(mint);
  const program = programId ?? programOfMint(request, mintAddress!);
  const accounts = request.machine
    .accountsOwnedBy(fromBase58(program))
    .filter(({ state }) => isWanted(state) && (!mintAddress || state.data.subarray(0, 32).equals(mintAddress)));
  return request.inContext(show(request, config, accounts));
}

function programOfMint(request: Request, mint: Buffer): string {
  const account = found(request.machine.account(mint), 'could not find mint');
  const program = mintOf(account) && tokenProgramOf(account);
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) {
    throw invalidParams('Invalid param: Token mint could not be unpacked');
  }
  return program;
}

function show(request: Request, config: Config, accounts: { address: Buffer; state: AccountState }[]): unknown[] {
  const view = viewOf(request, config);
  return accounts
    .sort((a, b) => (keyOf(a.address) < keyOf(b.address) ? -1 : 1))
    .map(({ address, state }) => ({ pubkey: toBase58(address), account: showAccount(state, view) }));
}

function viewOf(request: Request, config: Config): ReturnType<typeof accountView> {
  return accountView(config, (address) => request.machine.account(address));
}

function found(account: AccountState | null, otherwise: string): AccountState {
  if (!account) throw invalidParams(`Invalid param: ${otherwise}`);
  return account;
}

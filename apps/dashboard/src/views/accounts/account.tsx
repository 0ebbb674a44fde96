import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem, everyRow, get, post } from '../../data/api';
import { useData, useGet, type Data } from '../../data/data';
import { changed } from '../../data/live';
import { formatMicro, isAmount, toMicro } from '../../values/money';
import { signedCall } from '../../signing';
import type { Account, Spending } from '../../data/types';
import { Action, Code, Dialog, Facts, Field, Form, Heading, Loaded, Section, Status, Time, Usdc, textOf, usePage } from '../../ui';
import { History } from './history';
import { AccountActions } from '../account-actions/account-actions';
import { AccountKeysSection, AccountLists, AllowancesSection, WaitingSection } from './account-related';
import { HostsSection } from './hosts';
import { PolicyEditor } from '../policies/policy-editor';
import { Window } from './window';

/** How many accounts are searched while the chain is unavailable. */
const MAX_LOOKED_THROUGH = 1_000;

/** An account: its balance, spending, policy and history. */
export function AccountView({ id }: { id: string }): JSX.Element {
  const account = useData(`account ${id}`, () => read(id), { account: id });
  const spending = useGet<Spending>(`/v1/accounts/${id}/spending`, { account: id });
  return (
    <>
      <Heading
        title={account.data?.name ?? (account.problem && 'Account')}
        state={account.data && <Status of={account.data.status} />}
        back={{ to: '/accounts', title: 'Accounts' }}
      >
        {account.data && <Switches account={account.data} />}
      </Heading>
      <Loaded {...account}>
        {(data) => (
          <>
            <Facts
              facts={[
                [
                  'Balance',
                  <>
                    <Usdc amount={data.balance_usdc} />
                    {data.balance_as_of && (
                      <span class="muted">
                        {' '}
                        as of <Time at={data.balance_as_of} />
                      </span>
                    )}
                  </>,
                ],
                ['Created', <Time at={data.created_at} />],
                ['Account id', <Code text={data.account_id} what="the account id" />],
                ['Chain address', <Code text={data.chain_address} what="the chain address" />],
                ['USDC token account', <Code text={data.usdc_token_account} what="the token account" />],
                ['Handle', <Code text={data.handle} whole />],
                ['Labels', data.labels.length > 0 && data.labels.join(' ')],
              ]}
            />
            <AccountActions account={data} />
            <AccountLists id={id} />
            <WaitingSection id={id} />
            <AllowancesSection id={id} />
            <SpendingSection spending={spending} name={data.name} />
            <PolicyEditor path={`/v1/accounts/${id}/policy`} used={usedOf(spending.data)} lastKnown={data.policy} />
            <HostsSection accountId={id} />
            <AccountKeysSection id={id} fleetId={data.fleet_id} />
            <History id={id} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** The account. While the chain is unavailable, as the list shows it. */
async function read(id: string): Promise<Account> {
  try {
    return await get<Account>(`/v1/accounts/${id}`);
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== 'chain_unavailable') throw problem;
    const { data } = await everyRow<Account>('/v1/accounts', {}, MAX_LOOKED_THROUGH);
    const known = data.find(({ account_id }) => account_id === id);
    if (!known) throw problem;
    return known;
  }
}

/** The amount that counts against the rolling limit: spent and reserved. */
function usedOf(spending: Spending | undefined): string | null {
  if (!spending || spending.spent_usdc === null || spending.reserved_usdc === null) return null;
  return formatMicro(toMicro(spending.spent_usdc) + toMicro(spending.reserved_usdc));
}

function Switches({ account }: { account: Account }): JSX.Element {
  const { signedIn } = usePage();
  const [isAsking, setAsking] = useState(false);
  const setPaused = async (paused: boolean): Promise<void> => {
    await signedCall('PUT', `/v1/accounts/${account.account_id}/policy`, { paused });
    changed();
  };
  return (
    <>
      {signedIn.has_faucet && (
        <button type="button" onClick={() => setAsking(true)}>
          Add test USDC
        </button>
      )}
      {account.status === 'paused' ? (
        <Action run={() => setPaused(false)} class="primary">
          Resume
        </Action>
      ) : (
        <Action run={() => setPaused(true)} class="danger">
          Pause
        </Action>
      )}
      {isAsking && <Faucet account={account} onClose={() => setAsking(false)} />}
    </>
  );
}

function Faucet({ account, onClose }: { account: Account; onClose: () => void }): JSX.Element {
  const [amount, setAmount] = useState('100');
  const fund = async (): Promise<void> => {
    await post('/v1/sandbox/faucet', { account_id: account.account_id, amount });
    changed();
    onClose();
  };
  return (
    <Dialog title={`Add test USDC to ${account.name}`} onClose={onClose}>
      <Form send={fund} submit="Add" onCancel={onClose} disabled={!isAmount(amount)}>
        <Field
          label="Amount in USDC"
          hint="Minted by the sandbox; worth nothing."
          problem={isAmount(amount) ? undefined : 'Enter an amount above 0, such as 100 or 2.50, with at most six decimals.'}
        >
          {(props) => <input {...props} value={amount} onInput={(event) => setAmount(textOf(event))} inputMode="decimal" autoFocus />}
        </Field>
      </Form>
    </Dialog>
  );
}

function SpendingSection({ spending, name }: { spending: Data<Spending>; name: string }): JSX.Element {
  return (
    <Section title="Spending in the last 24 hours">
      <Loaded {...spending}>
        {(data) => (
          <>
            <Window spending={data} name={name} />
            {data.releases.length > 0 && (
              <details>
                <summary>When spent money counts no longer</summary>
                <ul class="lines">
                  {data.releases.map(({ at, amount_usdc }) => (
                    <li key={at}>
                      <Time at={at} />
                      <Usdc amount={amount_usdc} sign="+" />
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

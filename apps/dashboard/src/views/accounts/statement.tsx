import type { JSX } from 'preact';
import { withQuery } from '../../data/api';
import { useGet } from '../../data/data';
import { solOf } from '../../values/money';
import { linesOf, momentInUtc, monthAfter, monthInWords, monthOf, type StatementLine } from '../../words/statement-lines';
import type { Account, Statement } from '../../data/types';
import { AccountLink, Code, Empty, Facts, Heading, Link, Loaded, Section, Table, Usdc, type Column } from '../../ui';
import { entryInWords } from './history';

/** Rows of a page. More take a browser minutes to lay out as a document; the CSV has all. */
const MAX_ROWS = 2_000;

const COLUMNS: Column<StatementLine>[] = [
  { name: 'Time (UTC)', cell: ({ entry }) => momentInUtc(entry.settled_at ?? entry.created_at) },
  { name: 'What', cell: ({ entry }) => entryInWords(entry) },
  { name: 'With', cell: ({ entry: { counterparty } }) => counterparty !== null && <AccountLink id={counterparty} /> },
  {
    name: 'Memo, reference',
    cell: ({ entry: { memo, reference } }) => [memo, reference].filter(Boolean).join(' · '),
    onPhone: 'rest',
  },
  {
    name: 'Amount',
    amount: ({ entry }) => entry.amount_usdc,
    sign: ({ entry }) => (entry.direction === 'in' ? '+' : '−'),
  },
  { name: 'Balance', amount: ({ balance }) => balance, sign: ({ sign }) => sign, onPhone: 'labelled' },
];

/** The statement of an account for a month of UTC, laid out for paper: the browser prints it, or saves it as PDF. */
export function StatementView({ id, query }: { id: string; query: Record<string, string> }): JSX.Element {
  const current = monthOf(new Date());
  const month = /^\d{4}-\d{2}$/.test(query.month ?? '') ? (query.month ?? current) : current;
  const account = useGet<Account>(`/v1/accounts/${id}`).data;
  const statement = useGet<Statement>(withQuery(`/v1/accounts/${id}/statement`, { month }), { account: id });
  const [before, after] = [monthAfter(month, -1), monthAfter(month, 1)];
  return (
    <>
      <Heading
        title={account && `Statement of ${account.name}, ${monthInWords(month)}`}
        back={{ to: `/accounts/${id}`, title: account?.name ?? 'Account' }}
      >
        <Link class="button" to={`/accounts/${id}/statement?month=${before}`}>
          {monthInWords(before)}
        </Link>
        {after <= current && (
          <Link class="button" to={`/accounts/${id}/statement?month=${after}`}>
            {monthInWords(after)}
          </Link>
        )}
        <a class="button" href={withQuery('/dashboard/data/statement.csv', { account_id: id, month })} download>
          Download CSV
        </a>
        <button type="button" onClick={() => window.print()}>
          Print or save as PDF
        </button>
      </Heading>
      <Loaded {...statement}>{(data) => <Content statement={data} account={account} />}</Loaded>
    </>
  );
}

function Content({ statement, account }: { statement: Statement; account: Account | undefined }): JSX.Element {
  const { opening_balance_usdc: opening, closing_balance_usdc: closing, in_usdc, out_usdc, held_usdc, fees } = statement;
  const lines = linesOf(statement.records.slice(0, MAX_ROWS), opening);
  const width = statement.complete ? undefined : 'wide';
  return (
    <>
      <Facts
        facts={[
          ['Account id', <Code text={statement.account_id} whole />, 'wide'],
          ['USDC token account', account && <Code text={account.usdc_token_account} whole />, 'wide'],
          ['From', `${momentInUtc(statement.from)} UTC`, width],
          ['Until', `${momentInUtc(statement.to)} UTC${statement.complete ? '' : ', not complete yet'}`, width],
          ['Opening balance', <Usdc amount={opening} />],
          ['In', <Usdc amount={in_usdc} sign="+" />],
          ['Out', <Usdc amount={out_usdc} sign="−" />],
          ['Closing balance', <Usdc amount={closing} />],
          ['Of it held by open sessions and purses', held_usdc !== null && <Usdc amount={held_usdc} />],
          ['Fees, paid by the service', `${solOf(String(fees.lamports))} SOL for ${fees.transactions} transactions`],
        ]}
      />
      <Section title="Records">
        {lines.length === 0 ? (
          <Empty>No money moved in this month.</Empty>
        ) : (
          <Table label="Records" rows={lines} keyOf={({ entry }) => entry.id} columns={COLUMNS} isExact />
        )}
        {statement.records.length > MAX_ROWS && (
          <p class="notice">
            The first {MAX_ROWS} of {statement.records.length} records are shown. The CSV has all.
          </p>
        )}
      </Section>
    </>
  );
}

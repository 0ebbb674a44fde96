import type { JSX } from 'preact';
import { percentOf } from '../money';
import { useRows } from '../data';
import type { Payment } from '../types';
import { Empty, Loaded, More, Provider, Section, Status, Table, Time, Usdc } from '../ui';
import { ruleInWords } from './rules';

const PROTOCOLS: Record<NonNullable<Payment['protocol']>, string> = { mpp: 'MPP', x402: 'x402' };

/** How a payment was made: the protocol of the provider's 402, and our way to pay it. */
function howPaid({ protocol, method }: Payment): string {
  return [protocol && PROTOCOLS[protocol], method].filter(Boolean).join(' · ');
}

/** The payments of a session or a purse. `path` is their list in the API. */
export function PaymentsSection({ path }: { path: string }): JSX.Element {
  const payments = useRows<Payment>(path);
  return (
    <Section title="Payments">
      <Loaded {...payments}>
        {(page) =>
          page.data.length === 0 ? (
            <Empty>No payments yet.</Empty>
          ) : (
            <>
              <Table
                label="Payments"
                rows={page.data}
                keyOf={({ payment_id }) => payment_id}
                columns={[
                  { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
                  { name: 'State', cell: ({ status }) => <Status of={status} /> },
                  {
                    name: 'Provider',
                    cell: ({ provider, category, rejection_reason }) => (
                      <>
                        <Provider of={provider} category={category} />
                        {rejection_reason !== undefined && <span class="bad-text"> {ruleInWords(rejection_reason)}</span>}
                      </>
                    ),
                  },
                  { name: 'Protocol', cell: howPaid },
                  { name: 'Amount', amount: ({ amount_usdc }) => amount_usdc },
                ]}
              />
              <More page={page} more={payments.more} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** How much of a session's cap or a purse's amount is spent, as a bar and in numbers. */
export function SpentBar({ spent, total, name }: { spent: string; total: string; name: string }): JSX.Element {
  return (
    <div class="window">
      <div class="bar" role="img" aria-label={`${name}: ${spent} of ${total} USDC spent`}>
        <span class="spent" style={{ width: `${percentOf(spent, total)}%` }} />
      </div>
      <p>
        <Usdc amount={spent} /> spent of <Usdc amount={total} />
      </p>
    </div>
  );
}

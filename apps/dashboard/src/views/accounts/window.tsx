import type { JSX } from 'preact';
import { percentOf, toneOf } from '../../values/money';
import type { Spending } from '../../data/types';
import { Usdc } from '../../ui';

/** The spent and reserved parts of the rolling limit, as a bar and in numbers. */
export function Window({ spending, name }: { spending: Spending; name: string }): JSX.Element {
  const { limit_usdc: limit, spent_usdc: spent, reserved_usdc: reserved, remaining_usdc: remaining } = spending;
  if (limit === null || spent === null || reserved === null || remaining === null) return <span class="muted">no limit</span>;
  const used = Math.min(100, percentOf(spent, limit) + percentOf(reserved, limit));
  const hasReserved = /[1-9]/.test(reserved);
  return (
    <div class="window">
      <div
        class="bar"
        role="meter"
        aria-label={`24-hour limit of ${name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={used}
        aria-valuetext={`${spent} of ${limit} USDC spent${hasReserved ? `, ${reserved} set aside` : ''}`}
      >
        <span class={`spent ${toneOf(used)}`} style={{ width: `${percentOf(spent, limit)}%` }} />
        <span class="reserved" style={{ width: `${Math.min(percentOf(reserved, limit), 100 - percentOf(spent, limit))}%` }} />
      </div>
      <p>
        <Usdc amount={remaining} /> left of <Usdc amount={limit} />
        <span class="muted">
          {' '}
          · spent <Usdc amount={spent} />
          {hasReserved && (
            <>
              {' '}
              · set aside <Usdc amount={reserved} />
            </>
          )}
        </span>
      </p>
    </div>
  );
}

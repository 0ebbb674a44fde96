/** A line of small bars, for a row of a table. */
import type { JSX } from 'preact';

const HEIGHT = 18;
const BAR = 3;

/** Bars of heights in percent; nothing without any. `label` says what they are. */
export function Sparkline({ heights, label }: { heights: number[]; label: string }): JSX.Element | null {
  if (heights.length === 0) return null;
  return (
    <svg class="sparkline" role="img" aria-label={label} width={heights.length * BAR} height={HEIGHT}>
      {heights.map((height, index) => {
        const size = Math.max(1, (height * HEIGHT) / 100);
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
        return <rect key={index} x={index * BAR} y={HEIGHT - size} width={BAR - 1} height={size} />;
      })}
    </svg>
  );
}

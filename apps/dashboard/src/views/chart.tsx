import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { formatUsdc } from '../money';
import type { Overview } from '../types';
import { Time, Usdc } from '../ui';

type Hours = Overview['hours'];

const HEIGHT = 200;
const HOUR_SECONDS = 3_600;
const dark = matchMedia('(prefers-color-scheme: dark)');
const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** The settled amounts of each hour, as bars and as a table. */
export function SettledChart({ hours }: { hours: Hours }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Hours[number]>();
  const text = hours.map(({ hour, settled_usdc, settled_count }) => `${hour} ${settled_usdc} ${settled_count}`).join();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let plot = draw(element, hours, setShown);
    const redraw = (): void => {
      plot.destroy();
      plot = draw(element, hours, setShown);
    };
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    dark.addEventListener('change', redraw);
    return () => {
      observer.disconnect();
      dark.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [text]);
  const busy = hours.filter(({ settled_count }) => settled_count > 0);
  return (
    <figure class="chart">
      <div
        ref={box}
        role="img"
        aria-label={`Settled volume in each of the last ${hours.length} hours: ${busy.length} of them with payments. The table below has the numbers.`}
      />
      <figcaption aria-hidden="true">
        {shown ? (
          <>
            <Time at={shown.hour} /> · <Usdc amount={shown.settled_usdc} /> in {shown.settled_count}{' '}
            {shown.settled_count === 1 ? 'payment' : 'payments'}
          </>
        ) : (
          'Point at a bar for its numbers.'
        )}
      </figcaption>
      <details>
        <summary>As a table</summary>
        {busy.length === 0 ? (
          <p class="empty">Nothing settled in these {hours.length} hours.</p>
        ) : (
          <ul class="lines">
            {[...busy].reverse().map(({ hour, settled_usdc, settled_count }) => (
              <li key={hour}>
                <Time at={hour} />
                <span>
                  <Usdc amount={settled_usdc} /> <span class="muted">in {settled_count}</span>
                </span>
              </li>
            ))}
          </ul>
        )}
      </details>
    </figure>
  );
}

/** Draws the bars. The chart needs numbers for their heights; amounts are shown from their texts. */
function draw(element: HTMLElement, hours: Hours, show: (hour: Hours[number] | undefined) => void): uPlot {
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const [line, ink, bars] = [colour('--line'), colour('--muted'), colour('--accent')];
  const axis = { stroke: ink, font: '12px system-ui, sans-serif', grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    // Room for half of the last label, also where it has AM or PM.
    padding: [12, 32, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    // A bar is drawn to the right of its hour.
    scales: {
      x: { range: (_plot, first, last) => [first, last + HOUR_SECONDS] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 64, values: (_plot, seconds) => seconds.map((at) => HOUR.format(at * 1000)) },
      { ...axis, size: 64, values: (_plot, amounts) => amounts.map((amount) => formatUsdc(amount.toFixed(6)).replace(/\.00$/, '')) },
    ],
    series: [{}, { fill: bars, stroke: bars, width: 0, points: { show: false }, paths: uPlot.paths.bars?.({ size: [0.7, 28], align: 1 }) }],
    hooks: { setCursor: [(plot) => show(plot.cursor.idx === null || plot.cursor.idx === undefined ? undefined : hours[plot.cursor.idx])] },
  };
  return new uPlot(
    options,
    [hours.map(({ hour }) => Date.parse(hour) / 1000), hours.map(({ settled_usdc }) => Number(settled_usdc))],
    element,
  );
}

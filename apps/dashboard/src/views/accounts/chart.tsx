import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { useGet } from '../../data/data';
import { formatLimit } from '../../values/money';
import type { Span } from '../../data/types';
import { Brief, Loaded, Section, Switch, Table, Time, Usdc } from '../../ui';

type Last = '24h' | '7d' | '30d';

const LASTS: [Last, string][] = [
  ['24h', '24 h'],
  ['7d', '7 d'],
  ['30d', '30 d'],
];
const IN_WORDS: Record<Last, string> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };
const HEIGHT = 180;
const HOUR_SECONDS = 3_600;
/** Declines cause no change of money, so the chart is also read again by time. */
const EVERY_MS = 60_000;
const BRIEF = { is: true, inLink: false };
const dark = matchMedia('(prefers-color-scheme: dark)');
const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The settled and declined amounts of the last hours or days. */
export function SettledSection(): JSX.Element {
  const [last, setLast] = useState<Last>('24h');
  const spans = useGet<{ data: Span[] }>(`/dashboard/data/spans?last=${last}`, { everyMs: EVERY_MS });
  return (
    <Section title="Settled and declined" actions={<Switch label="Time shown" options={LASTS} value={last} onChange={setLast} />}>
      <Loaded {...spans}>{({ data }) => <SettledChart spans={data} last={last} />}</Loaded>
    </Section>
  );
}

/** The amounts of each span, as stacked bars and as a table. */
function SettledChart({ spans, last }: { spans: Span[]; last: Last }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Span>();
  const text = JSON.stringify(spans);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let plot = draw(element, spans, last, setShown);
    const redraw = (): void => {
      plot.destroy();
      plot = draw(element, spans, last, setShown);
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
  const busy = spans.filter(({ settled_count, declined_count }) => settled_count + declined_count > 0);
  return (
    <Brief.Provider value={BRIEF}>
      <figure class="chart">
        <div
          ref={box}
          role="img"
          aria-label={`Settled and declined amounts of the last ${IN_WORDS[last]}: ${busy.length} bars. The table below has the numbers.`}
        />
        <figcaption aria-hidden="true">{shown ? <Caption of={shown} last={last} /> : <Legend />}</figcaption>
        <details>
          <summary>As a table</summary>
          {busy.length === 0 ? (
            <p class="empty">Nothing was settled or declined in these {IN_WORDS[last]}.</p>
          ) : (
            <Table
              label="Settled and declined amounts"
              rows={[...busy].reverse()}
              keyOf={({ at }) => at}
              columns={[
                { name: 'From', cell: ({ at }) => <Moment at={at} last={last} /> },
                { name: 'Settled', amount: ({ settled_usdc }) => settled_usdc },
                { name: 'Payments', isNumber: true, cell: ({ settled_count }) => settled_count.toLocaleString() },
                { name: 'Declined', amount: ({ declined_usdc }) => declined_usdc },
                { name: 'Declines', isNumber: true, cell: ({ declined_count }) => declined_count.toLocaleString() },
              ]}
            />
          )}
        </details>
      </figure>
    </Brief.Provider>
  );
}

function Legend(): JSX.Element {
  return (
    <>
      <span class="swatch settled" /> settled <span class="swatch declined" /> declined
    </>
  );
}

function Caption({ of, last }: { of: Span; last: Last }): JSX.Element {
  return (
    <>
      <Moment at={of.at} last={last} /> · <Usdc amount={of.settled_usdc} /> settled in {of.settled_count} ·{' '}
      <Usdc amount={of.declined_usdc} /> declined in {of.declined_count}
    </>
  );
}

/** When a bar begins: a day is one of UTC. */
function Moment({ at, last }: { at: string; last: Last }): JSX.Element {
  return last === '24h' ? <Time at={at} /> : <>{DAY.format(new Date(at))}</>;
}

/** Draws the bars: the declined amounts above the settled ones. The chart needs numbers for their heights; amounts are shown from their texts. */
function draw(element: HTMLElement, spans: Span[], last: Last, show: (span: Span | undefined) => void): uPlot {
  const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const [line, ink, settled, declined] = [colour('--line'), colour('--muted'), colour('--accent'), colour('--bad')];
  const axis = { stroke: ink, font: '12px system-ui, sans-serif', grid: { stroke: line, width: 1 }, ticks: { show: false } };
  const size = last === '24h' ? HOUR_SECONDS : 24 * HOUR_SECONDS;
  const label = (seconds: number): string => (last === '24h' ? HOUR : DAY).format(seconds * 1000);
  const bars = (fill: string): uPlot.Series => {
    const paths = uPlot.paths.bars?.({ size: [0.7, 40], align: 1 });
    return { fill, stroke: fill, width: 0, points: { show: false }, ...(paths && { paths }) };
  };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    // Room for half of the last label, also if it has AM or PM.
    padding: [12, 32, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    // A bar is drawn to the right of its beginning.
    scales: {
      x: { range: (_plot, first, end) => [first, end + size] },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 64, values: (_plot, seconds) => seconds.map(label) },
      { ...axis, size: 64, values: (_plot, amounts) => amounts.map((amount) => formatLimit(amount.toFixed(6))) },
    ],
    series: [{}, bars(declined), bars(settled)],
    hooks: { setCursor: [(plot) => show(plot.cursor.idx === null || plot.cursor.idx === undefined ? undefined : spans[plot.cursor.idx])] },
  };
  const settledHeights = spans.map(({ settled_usdc }) => Number(settled_usdc));
  const stacked = spans.map(({ declined_usdc }, index) => Number(declined_usdc) + (settledHeights[index] ?? 0));
  return new uPlot(options, [spans.map(({ at }) => Date.parse(at) / 1000), stacked, settledHeights], element);
}

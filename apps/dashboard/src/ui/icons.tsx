/** Icons of the set Lucide, drawn in the text's colour. They are decoration: the text beside them names what they stand for. */
import { h, type JSX } from 'preact';
import type { IconNode } from 'lucide';

export function Icon({ of }: { of: IconNode }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes]) => h(tag, attributes as Record<string, string>))}
    </svg>
  );
}

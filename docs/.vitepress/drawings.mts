/** Diagrams in the text, drawn as SVG files at the build: pages load no script for them. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderMermaidSVG } from 'beautiful-mermaid';

/** The site is light, and so are its drawings. */
const COLOURS = { bg: '#ffffff', fg: '#3c3c43' };
/** The renderer asks for a font of another host, which the pages may not load: the next font of its list is the system's. */
const FOREIGN_FONT = /@import url\([^)]*\);/g;

const drawings = new Map<string, string>();

/** The markup of a diagram: its picture, which opens in its own size, and its text. `base` is the path of the site. */
export function drawingOf(source: string, base: string): string {
  const svg = renderMermaidSVG(source, COLOURS).replace(FOREIGN_FONT, '');
  const name = `${createHash('sha256').update(svg).digest('hex').slice(0, 16)}.svg`;
  drawings.set(name, svg);
  const path = `'${base}drawings/${name}'`;
  const [, width = '', height = ''] = /width="(\d+)[^"]*" height="(\d+)/.exec(svg) ?? [];
  const text = source.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `<p class="drawing"><a :href="${path}" target="_self"><img :src="${path}" alt="Diagram, whose text follows" width="${width}" height="${height}" loading="lazy"></a></p>
<details><summary>The diagram as text</summary><pre v-pre tabindex="0"><code>${text}</code></pre></details>`;
}

/** Writes the drawings of the pages beside them. */
export function writeDrawings(folder: string): void {
  mkdirSync(join(folder, 'drawings'), { recursive: true });
  for (const [name, svg] of drawings) writeFileSync(join(folder, 'drawings', name), svg);
}

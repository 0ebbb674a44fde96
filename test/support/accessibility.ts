/** Accessibility of a page of the dashboard in a real browser, by axe. */
import { source as axe } from 'axe-core';
import type { Page } from 'playwright-core';

interface Findings {
  violations: { id: string; impact: string; nodes: { target: unknown; failureSummary: string }[] }[];
}

/** Violations that axe calls serious or critical, in light and dark. Only contrast depends on the colour scheme. */
export async function accessibilityDefects(page: Page): Promise<string[]> {
  // `page.evaluate` injects axe, which the content security policy does not apply to.
  await page.evaluate(axe);
  const defects: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    defects.push(...(await seriousDefects(page, colorScheme === 'dark')).map((defect) => `${colorScheme}: ${defect}`));
  }
  return defects;
}

async function seriousDefects(page: Page, onlyColours: boolean): Promise<string[]> {
  const options = { ...(onlyColours && { runOnly: ['color-contrast'] }), resultTypes: ['violations'] };
  const { violations } = await page.evaluate<Findings>(`axe.run(${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary.replace(/\s+/g, ' ')}`),
    );
}

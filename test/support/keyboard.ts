/** A user's actions with the keyboard alone. */
import type { Locator, Page } from 'playwright-core';

/** More than the fields and links of any page. */
const MAX_TABS = 150;

/** Presses Tab until an element has the focus. @throws Error if the keyboard does not reach it */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let count = 0; count < MAX_TABS; count++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${String(target)}.`);
}

/** Reaches an element by Tab and presses Enter. */
export async function enter(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

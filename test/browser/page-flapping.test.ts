// SPDX-License-Identifier: Apache-2.0
// A flapping cluster under an open page.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openFleetPage } from "../e2e/page/fleet-page.ts";
import { tileOf, untilNoNotice, untilNotice, untilTile } from "../e2e/page/page-browser.ts";
import { setPower } from "../e2e/page/playground-switch.ts";

const eu = "eu-west-1";

/**
 * Looks at the notices at every change of the document from now on, and keeps the titles of the most that were there
 * together.
 */
async function watchNotices(page: Page): Promise<void> {
  await page.evaluate(`
    globalThis.mostNotices = [];
    const look = () => {
      const titles = [...document.querySelectorAll("[data-incident] h2")].map(({ textContent }) => textContent);
      if (titles.length > globalThis.mostNotices.length) globalThis.mostNotices = titles;
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
  `);
}

describe("the page of a flapping cluster", () => {
  // No other cluster: what a busy machine makes of that one would be a notice, too.
  const tab = openFleetPage(1);

  test("[R-21][HE6][PG19] stopped and started again and again it has one notice at any moment, which shows that it is flapping", {
    timeout: 90_000,
  }, async () => {
    const { page } = tab;
    const { hub } = tab.world.fleet;
    await watchNotices(page);
    for (let fall = 0; fall < 6; fall += 1) {
      await setPower(hub, eu, false);
      await untilTile(page, eu, "disconnected");
      await setPower(hub, eu, true);
      // Twice it comes back whole, so that an outage begins while the end of another is still told.
      if (fall < 2) await untilTile(page, eu, "live");
      else
        await eventually(async () =>
          expect(await tileOf(page, eu).getAttribute("data-state")).not.toBe("disconnected"),
        );
    }
    await untilNotice(page, /: eu-west-1[\s\S]*flapping/);
    expect(await tileOf(page, eu).innerText()).toContain("flapping");
    await untilNotice(page, /Live again: eu-west-1/);
    await untilTile(page, eu, "live");
    await untilNoNotice(page);
    expect(await page.evaluate("globalThis.mostNotices")).toEqual([expect.stringContaining(eu)]);
  });
});

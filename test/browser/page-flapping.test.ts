// SPDX-License-Identifier: Apache-2.0
// A cluster that comes and goes under an open page.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { FleetBrowser } from "../e2e/page/fleet-browser.ts";
import {
  startLimitMs,
  tileOf,
  untilNoNotice,
  untilNotice,
  untilTile,
  type WatchedPage,
} from "../e2e/page/page-browser.ts";
import { setPower } from "../e2e/page/playground-switch.ts";

const eu = "eu-west-1";

/** Counts the notices at every change of the document from now on. */
async function watchNotices(page: Page): Promise<void> {
  await page.evaluate(`
    globalThis.noticeCounts = [];
    const look = () => globalThis.noticeCounts.push(document.querySelectorAll("[data-incident]").length);
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
  `);
}

async function mostNotices(page: Page): Promise<number> {
  return Number(await page.evaluate("Math.max(...globalThis.noticeCounts)"));
}

describe("the page of a cluster that comes and goes", () => {
  const world = new FleetBrowser(2);
  let tab: WatchedPage;

  beforeAll(async () => {
    await world.start();
    tab = await world.logIn(await world.openContext());
    await untilTile(tab.page, eu, "live");
  }, startLimitMs);

  afterAll(async () => {
    await world.close();
    expect(tab.faults).toEqual([]);
  });

  test("[R-21][HE6][PG19] stopped and started again and again it has one notice at any moment, which says that it comes and goes", {
    timeout: 90_000,
  }, async () => {
    const { page } = tab;
    const { hub } = world.fleet;
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
    await untilNotice(page, /Lost eu-west-1[\s\S]*comes and goes/);
    expect(await tileOf(page, eu).innerText()).toContain("comes and goes");
    await untilNotice(page, /Reconnected eu-west-1/);
    await untilTile(page, eu, "live");
    await untilNoNotice(page);
    expect(await mostNotices(page)).toBe(1);
  });
});

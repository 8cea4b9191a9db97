// SPDX-License-Identifier: Apache-2.0
// "Retry now" on the page, through hub and agent to the API server and back.
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { FleetBrowser } from "../e2e/page/fleet-browser.ts";
import { noticesOf, startLimitMs, untilNotice, untilTile, type WatchedPage } from "../e2e/page/page-browser.ts";

const eu = "eu-west-1";

describe("retry now", () => {
  const world = new FleetBrowser(1);
  let context: BrowserContext;
  let tab: WatchedPage;

  beforeAll(async () => {
    await world.start();
    context = await world.openContext();
    tab = await world.logIn(context);
    await untilTile(tab.page, eu, "live");
    expect(await world.fleet.run("playground", "stop", eu)).toMatchObject({ code: 0 });
    await untilNotice(tab.page, /Lost eu-west-1/);
  }, startLimitMs);

  afterAll(async () => {
    expect(tab.faults).toEqual([]);
    await world.close();
  });

  test("[SE45][PG19] in the notice asks the agent, says so, and the attempt is counted", async () => {
    const attemptCount = async (): Promise<number> =>
      (await world.fleet.hub.cluster(eu)).connection?.attemptCount ?? Number.NaN;
    const before = await attemptCount();
    await noticesOf(tab.page).getByRole("button", { name: "Retry now" }).click();
    await untilNotice(tab.page, /The agent of eu-west-1 was asked to try its API server now\./);
    await eventually(async () => expect(await attemptCount()).toBeGreaterThan(before));
  });

  test("[SE45] among the actions of a cluster that is not live it is confirmed and answered", async () => {
    await tab.page.locator(`[data-cluster="${eu}"]`).click();
    await tab.page.locator("[data-actions]").getByRole("button", { name: "Retry now" }).click();
    const sheet = tab.page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Retry now" }).click();
    await eventually(async () => expect(await sheet.innerText()).toMatch(/The agent of eu-west-1 was asked/));
    await sheet.getByRole("button", { name: "Close" }).last().click();
    await tab.page.keyboard.press("Escape");
  });

  test("[SE45] once the cluster is live again there is nothing to retry", async () => {
    expect(await world.fleet.run("playground", "start", eu)).toMatchObject({ code: 0 });
    await untilTile(tab.page, eu, "live");
    await tab.page.locator(`[data-cluster="${eu}"]`).click();
    await tab.page.locator("[data-actions]").getByRole("button", { name: "Pause" }).waitFor();
    expect(await tab.page.locator("[data-actions]").getByRole("button", { name: "Retry now" }).count()).toBe(0);
  });
});

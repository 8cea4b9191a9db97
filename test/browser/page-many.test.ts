// SPDX-License-Identifier: Apache-2.0
// Three hundred clusters on one hub, of which those of one region are lost in the same moment.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { HubBrowser } from "../e2e/page/hub-browser.ts";
import { noticesOf, startLimitMs, tileOf, untilNotice, type WatchedPage } from "../e2e/page/page-browser.ts";
import { SimulatedClusters } from "../e2e/page/simulated-clusters.ts";

/** What a screen of 900 pixels holds, and the rows that are drawn ahead of it. */
const maxTileCount = 120;

async function untilCoverage(page: Page, ...parts: readonly string[]): Promise<void> {
  await eventually(async () => {
    const text = await page
      .getByText(/of 300 clusters live/)
      .locator("../..")
      .innerText();
    expect(
      parts.filter((part) => !text.replaceAll(/\s+/g, " ").includes(part)),
      text,
    ).toEqual([]);
  });
}

describe("the page of three hundred clusters", () => {
  const world = new HubBrowser();
  const regions: SimulatedClusters[] = [];
  let lost: SimulatedClusters;
  let tab: WatchedPage;

  beforeAll(async () => {
    await world.start();
    lost = await SimulatedClusters.start(world, { region: "eu-2", count: 50 });
    regions.push(lost, await SimulatedClusters.start(world, { region: "us-1", count: 250 }));
    const context = await world.openContext({ viewport: { width: 1440, height: 900 } });
    [tab] = await Promise.all([world.logIn(context), ...regions.map((region) => region.untilLive())]);
    await untilCoverage(tab.page, "300 of 300 clusters live");
  }, 2 * startLimitMs);

  afterAll(async () => {
    for (const region of regions) await region.close();
    await world.close();
  }, startLimitMs);

  test("only what is in sight is drawn, and scrolling shows the rest", async () => {
    const { page } = tab;
    expect(await page.locator("[data-cluster]").count()).toBeGreaterThan(40);
    expect(await page.locator("[data-cluster]").count()).toBeLessThan(maxTileCount);
    expect(await tileOf(page, "us-1-349").count()).toBe(0);
    await tileOf(page, "eu-2-100").hover();
    await eventually(async () => {
      await page.mouse.wheel(0, 5_000);
      expect(await tileOf(page, "us-1-349").isVisible()).toBe(true);
    });
    expect(await tileOf(page, "eu-2-100").count()).toBe(0);
    expect(await page.locator("[data-cluster]").count()).toBeLessThan(maxTileCount);
    await eventually(async () => {
      await page.mouse.wheel(0, -5_000);
      expect(await tileOf(page, "eu-2-100").isVisible()).toBe(true);
    });
  });

  test("[R-5][R-21] fifty of one region that are lost at once are one notice with their number and region, and the counts are right", async () => {
    const { page } = tab;
    lost.cut();
    await untilNotice(page, /^Disconnected: 50 clusters in eu-2\n[\s\S]*agent lost/);
    await untilCoverage(page, "250 of 300 clusters live", "50 disconnected");
    const header = page.getByRole("button", { name: /eu-2.*50 clusters.*50 disconnected/s });
    expect(await header.count()).toBe(1);
    for (const number of [100, 149]) {
      expect(await tileOf(page, `eu-2-${number}`).getAttribute("data-state")).toBe("disconnected");
    }
    await page.goto(`${world.address.httpUrl}/ui/?as=table&filter=state:disconnected`);
    await untilNotice(page, /Disconnected: 50 clusters in eu-2/);
    await eventually(async () => expect(await tileOf(page, "eu-2-100").innerText()).toMatch(/disconnected/));
    expect(await page.locator('[data-state="live"][data-cluster]').count()).toBe(0);
    await page.goto(`${world.address.httpUrl}/ui/`);
  });

  test("[R-22] when they are back it is one notice that says so, and it goes", async () => {
    const { page } = tab;
    lost.heal();
    await untilNotice(page, /^Live again: 50 clusters in eu-2\n[\s\S]*away for \d+[\s\S]*all resumed/);
    await untilCoverage(page, "300 of 300 clusters live");
    await eventually(async () => expect(await noticesOf(page).count()).toBe(0));
  });
});

// SPDX-License-Identifier: Apache-2.0
// A cluster goes away and comes back under an open page.
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "./fleet/eventually.ts";
import { FleetBrowser } from "./page/fleet-browser.ts";
import { noticesOf, tileOf, untilNoNotice, untilNotice, untilTile, type WatchedPage } from "./page/page-browser.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;

describe("the page through the loss of a cluster", () => {
  const world = new FleetBrowser(3);
  let context: BrowserContext;
  let first: WatchedPage;
  let second: WatchedPage;

  beforeAll(async () => {
    await world.start();
    context = await world.openContext();
    first = await world.logIn(context);
    for (const cluster of [eu, us]) await untilTile(first.page, cluster, "live");
    second = await world.openTab(context, "/ui/changes");
  });

  afterAll(async () => {
    await world.close();
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  test("[PG4][R-17] a login link shows the fleet, and the code is gone from the address", async () => {
    expect(first.page.url()).toBe(`${world.fleet.httpUrl}/ui/`);
    expect(await first.page.locator("[data-cluster]").count()).toBe(3);
    expect(await first.page.getByText("3 of 3 clusters live").count()).toBe(1);
  });

  test("[R-1][R-2][R-5][R-20] a stopped API server is one notice in every tab, on every page, with reason and age", async () => {
    expect(await world.fleet.run("playground", "stop", eu)).toMatchObject({ code: 0 });
    await untilTile(first.page, eu, "disconnected");
    await untilNotice(first.page, /Lost eu-west-1[\s\S]*connection refused/);
    await untilNotice(second.page, /Lost eu-west-1/);
    expect(await world.fleet.hub.state(eu)).toBe("disconnected");
    await eventually(async () => expect(await tileOf(first.page, eu).innerText()).toMatch(/lost, \d+ s/));
    for (const keys of ["g c", "g f", "g c", "g f"]) {
      for (const key of keys.split(" ")) await first.page.keyboard.press(key);
      await untilNotice(first.page, /Lost eu-west-1/);
    }
    await tileOf(first.page, eu).click();
    await untilNotice(first.page, /Lost eu-west-1/);
    expect(await first.page.locator('[data-hop="api-server"]').getAttribute("data-state")).toBe("lost");
    expect(await first.page.locator('[data-hop="agent"]').getAttribute("data-state")).toBe("ok");
    expect(await first.page.locator('[data-hop="browser"]').getAttribute("data-state")).toBe("ok");
    await first.page.keyboard.press("Escape");
    await untilTile(first.page, us, "live");
  });

  test("[R-17] a tab that is opened during the outage shows it at once", async () => {
    const late = await world.openTab(context, "/ui/");
    await untilNotice(late.page, /Lost eu-west-1/);
    expect(await tileOf(late.page, eu).getAttribute("data-state")).toBe("disconnected");
    await late.page.close();
  });

  test("[R-5][R-22][R-28] when it is back the notice says so and goes, and a new object arrives without a reload", async () => {
    await first.page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await second.page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    expect(await world.fleet.run("playground", "start", eu)).toMatchObject({ code: 0 });
    await untilNotice(first.page, /Reconnected eu-west-1[\s\S]*away for \d+/);
    await untilTile(first.page, eu, "live");
    await untilNoNotice(first.page);
    const client = world.fleet.connect(eu);
    await client.ask("POST", "/api/v1/namespaces/shop/configmaps", {
      body: { metadata: { name: "made-after-return" } },
    });
    await eventually(async () =>
      expect(await second.page.locator('[data-change="added configmaps shop/made-after-return"]').count()).toBe(1),
    );
    for (const { page } of [first, second]) {
      expect(await page.evaluate(() => "isSamePage" in globalThis)).toBe(true);
    }
  });

  test("[R-25][PG8] with no tab open detection and recovery go on, and a tab that is opened later sees the truth at once", async () => {
    const alone = await world.openContext();
    expect(await world.fleet.run("playground", "stop", us)).toMatchObject({ code: 0 });
    await world.fleet.hub.untilState(us, "disconnected");
    const { page, faults } = await world.logIn(alone);
    await untilTile(page, us, "disconnected");
    await untilNotice(page, /Lost us-east-1/);
    expect(await world.fleet.run("playground", "start", us)).toMatchObject({ code: 0 });
    await untilTile(page, us, "live");
    expect(await noticesOf(page).count()).toBeLessThanOrEqual(1);
    expect(faults).toEqual([]);
    await alone.close();
  });

  test("[R-19][PG8] eight tabs on the plain listener are all live, over one stream", async () => {
    const crowd = await world.openContext();
    const tabs = [await world.logIn(crowd)];
    await untilTile(tabs[0]?.page ?? first.page, eu, "live");
    for (let count = 1; count < 8; count += 1) tabs.push(await world.openTab(crowd, "/ui/"));
    for (const { page } of tabs) await untilTile(page, eu, "live");
    const text = await (await world.fleet.hub.fetch("/metrics")).text();
    const [, open] = /^flotilla_page_streams(?:\{[^}]*\})? (\d+)$/m.exec(text) ?? [];
    // One of this viewer, one of the two tabs above.
    expect(Number(open)).toBe(2);
    await world.fleet.run("cluster", "pause", eu);
    for (const { page } of tabs) {
      await eventually(async () => expect(await tileOf(page, eu).innerText()).toContain("paused"));
    }
    await world.fleet.run("cluster", "resume", eu);
    await crowd.close();
  });
});

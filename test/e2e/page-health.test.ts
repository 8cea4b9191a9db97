// SPDX-License-Identifier: Apache-2.0
// A cluster goes away and comes back under an open page.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "./fleet/eventually.ts";
import { openFleetPage } from "./page/fleet-page.ts";
import { isSamePage, markPage, noticesOf, tileOf, untilNoNotice, untilNotice, untilTile } from "./page/page-browser.ts";
import { setPower } from "./page/playground-switch.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;

/**
 * Presses keys without waiting for the page between them. The page reads two keys as a shortcut only if they come soon
 * after each other.
 */
async function pressInARow(page: Page, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

describe("the page through the loss of a cluster", () => {
  const first = openFleetPage(3);
  const { world } = first;
  let second: { readonly page: Page };

  beforeAll(async () => {
    second = await world.openTab(first.context, "/ui/changes");
  });

  test("[PG4][R-17] a login link shows the fleet, and the code is gone from the address", async () => {
    expect(first.page.url()).toBe(`${world.fleet.httpUrl}/ui/`);
    expect(await first.page.locator("[data-cluster]").count()).toBe(3);
    await first.page.getByText("3 of 3 clusters live").waitFor();
  });

  test("[R-1][R-2][R-5][R-20] a stopped API server is one notice in every tab, on every page, with reason and age", async () => {
    await setPower(world.fleet.hub, eu, false);
    await untilTile(first.page, eu, "disconnected");
    await untilNotice(first.page, /Disconnected: eu-west-1[\s\S]*connection refused/);
    await untilNotice(second.page, /Disconnected: eu-west-1/);
    expect(await world.fleet.hub.state(eu)).toBe("disconnected");
    await eventually(async () => expect(await tileOf(first.page, eu).innerText()).toMatch(/disconnected, \d+ s/));
    for (const [key, title] of [
      ["c", "Changes"],
      ["f", "Fleet"],
      ["c", "Changes"],
      ["f", "Fleet"],
    ] as const) {
      await pressInARow(first.page, ["g", key]);
      await first.page.getByRole("heading", { name: title, level: 1 }).waitFor();
      await untilNotice(first.page, /Disconnected: eu-west-1/);
    }
    await tileOf(first.page, eu).click();
    await untilNotice(first.page, /Disconnected: eu-west-1/);
    expect(await first.page.locator('[data-hop="api-server"]').getAttribute("data-state")).toBe("lost");
    expect(await first.page.locator('[data-hop="agent"]').getAttribute("data-state")).toBe("ok");
    expect(await first.page.locator('[data-hop="browser"]').getAttribute("data-state")).toBe("ok");
    await first.page.keyboard.press("Escape");
    await untilTile(first.page, us, "live");
  });

  test("[R-17] a tab that is opened during the outage shows it at once", async () => {
    const late = await world.openTab(first.context, "/ui/");
    await untilNotice(late.page, /Disconnected: eu-west-1/);
    expect(await tileOf(late.page, eu).getAttribute("data-state")).toBe("disconnected");
    await late.page.close();
  });

  test("[R-5][R-22][R-28] when it is back the notice says so and goes, and a new object arrives without a reload", async () => {
    for (const { page } of [first, second]) await markPage(page);
    await setPower(world.fleet.hub, eu, true);
    await untilNotice(first.page, /Live again: eu-west-1[\s\S]*away for \d+/);
    await untilTile(first.page, eu, "live");
    await untilNoNotice(first.page);
    const client = world.fleet.connect(eu);
    await client.ask("POST", "/api/v1/namespaces/shop/configmaps", {
      body: { metadata: { name: "made-after-return" } },
    });
    await eventually(async () =>
      expect(await second.page.locator('[data-change="added configmaps shop/made-after-return"]').count()).toBe(1),
    );
    for (const { page } of [first, second]) expect(await isSamePage(page)).toBe(true);
  });

  test("[R-25][PG8] with no tab open detection and recovery go on, and a tab that is opened later sees the truth at once", async () => {
    const alone = await world.openContext();
    await setPower(world.fleet.hub, us, false);
    await world.fleet.hub.untilState(us, "disconnected");
    const { page } = await world.logIn(alone);
    await untilTile(page, us, "disconnected");
    await untilNotice(page, /Disconnected: us-east-1/);
    await setPower(world.fleet.hub, us, true);
    await untilTile(page, us, "live");
    expect(await noticesOf(page).filter({ hasText: us }).count()).toBeLessThanOrEqual(1);
    await alone.close();
  });

  test("[R-19][PG8] eight tabs on the plain listener are all live, over one stream", async () => {
    const crowd = await world.openContext();
    const earliest = await world.logIn(crowd);
    await untilTile(earliest.page, eu, "live");
    const tabs = [earliest];
    while (tabs.length < 8) tabs.push(await world.openTab(crowd, "/ui/"));
    for (const { page } of tabs) await untilTile(page, eu, "live");
    // One of this viewer, one of the two tabs above. Of the viewer before, whose browser has gone, the hub may hear a
    // moment later.
    await eventually(async () => {
      const text = await (await world.fleet.hub.fetch("/metrics")).text();
      expect(/^flotilla_page_streams(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1]).toBe("2");
    });
    await world.fleet.run("cluster", "pause", eu);
    for (const { page } of tabs) {
      await eventually(async () => expect(await tileOf(page, eu).innerText()).toContain("paused"));
    }
    await world.fleet.run("cluster", "resume", eu);
    await crowd.close();
  });
});

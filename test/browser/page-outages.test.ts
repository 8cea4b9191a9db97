// SPDX-License-Identifier: Apache-2.0
// Outages that look different from a stopped server: nothing answers, several clusters at once, a tab that slept, a hub
// behind a dead route.
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";
import { openFleetPage } from "../e2e/page/fleet-page.ts";
import {
  isSamePage,
  markPage,
  noticesOf,
  tileOf,
  untilAllLive,
  untilNoNotice,
  untilNotice,
  untilTile,
} from "../e2e/page/page-browser.ts";
import { setPower, setSilent } from "../e2e/page/playground-switch.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;

/**
 * After so long without a word from the hub a page takes it for lost (PG13): a stream that was open before is of no
 * use.
 */
const silenceMs = 12_000;

describe("the page through other outages", () => {
  const tab = openFleetPage(3);
  const { world } = tab;

  beforeAll(() => markPage(tab.page));

  test("[R-2][R-5][R-9] a black hole, that takes connections and answers nothing, is told as such, and its end too", async () => {
    const { page } = tab;
    await setSilent(world.fleet.hub, eu, true);
    await untilTile(page, eu, "disconnected");
    await untilNotice(page, /Disconnected: eu-west-1[\s\S]*no answer/);
    await eventually(async () => expect(await page.getByText("2 of 3 clusters live").count()).toBe(1));
    // Its agent is heard every second; its rows grow older all the same.
    await untilNotice(page, /Data is (?:[3-9]|\d\d) s old/);
    await setSilent(world.fleet.hub, eu, false);
    await untilNotice(page, /Live again: eu-west-1/);
    await untilTile(page, eu, "live");
  });

  test("[R-21][R-22] two clusters that are lost together are one notice with their number, until both are back", async () => {
    const { page } = tab;
    await Promise.all([eu, us].map((cluster) => setPower(world.fleet.hub, cluster, false)));
    await untilNotice(page, /Disconnected: 2 clusters in 2 regions/);
    await eventually(async () => expect(await page.getByText("1 of 3 clusters live").count()).toBe(1));
    await setPower(world.fleet.hub, eu, true);
    await untilNotice(page, /Disconnected: us-east-1/);
    await setPower(world.fleet.hub, us, true);
    await untilNotice(page, /Live again: 2 clusters in 2 regions/);
    await untilNoNotice(page);
    await eventually(async () => expect(await page.getByText("3 of 3 clusters live").count()).toBe(1));
  });

  test("[R-28] a browser that was stopped whole, as by a laptop that sleeps, shows the truth when it goes on", async () => {
    const { page } = tab;
    const { hub } = world.fleet;
    await world.browser.stop();
    await setPower(hub, us, false);
    await hub.untilState(us, "disconnected");
    await eventually(async () => {
      const { sinceMsAgo } = (await hub.cluster(us)).connection ?? {};
      expect(Number(sinceMsAgo)).toBeGreaterThan(silenceMs);
    });
    world.browser.resume();
    await untilTile(page, us, "disconnected");
    await untilNotice(page, /Disconnected: us-east-1/);
    await setPower(hub, us, true);
    await untilTile(page, us, "live");
    await page.getByText("hub live").waitFor();
    expect(await isSamePage(page)).toBe(true);
  });

  test("[R-23][PG13] a dead route to the hub is noticed by its silence, and the page goes on when the route is back", {
    timeout: 90_000,
  }, async ({ onTestFinished }) => {
    const proxy = await TcpProxy.open(Number(new URL(world.fleet.httpUrl).port));
    onTestFinished(() => proxy.close());
    const far = await world.openContext();
    const link = new URL(await world.loginLink());
    link.port = String(proxy.port);
    const { page } = await world.openTab(far, link.href);
    await untilAllLive(page, 3);
    await markPage(page);
    proxy.set("silent");
    await page.getByText(/The hub is lost for \d+ s/).waitFor();
    expect(await page.getByText("3 of 3 clusters were live").count()).toBe(1);
    await setPower(world.fleet.hub, eu, false);
    await world.fleet.hub.untilState(eu, "disconnected");
    expect(await tileOf(page, eu).getAttribute("data-state")).toBe("live");
    proxy.set("open");
    // Pressed again while it is there, as one does: an attempt that began just before the route was back hangs, and is
    // given up at the next press a second later.
    await eventually(async () => {
      const retry = page.getByText("The hub is lost").locator("..").getByRole("button", { name: "Retry now" });
      if ((await retry.count()) > 0) await retry.first().click({ timeout: 1_000 });
      expect(await page.getByText("The hub is lost").count()).toBe(0);
    });
    await untilTile(page, eu, "disconnected");
    await untilNotice(page, /Disconnected: eu-west-1/);
    await setPower(world.fleet.hub, eu, true);
    await untilTile(page, eu, "live");
    expect(await noticesOf(page).filter({ hasText: eu }).count()).toBeLessThanOrEqual(1);
    expect(await isSamePage(page)).toBe(true);
    await far.close();
  });
});

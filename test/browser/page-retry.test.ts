// SPDX-License-Identifier: Apache-2.0
// "Retry now" on the page, through hub and agent to the API server and back.
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openFleetPage } from "../e2e/page/fleet-page.ts";
import { noticesOf, tileOf, untilNotice, untilTile } from "../e2e/page/page-browser.ts";

const eu = "eu-west-1";

describe("retry now", () => {
  const tab = openFleetPage(1);
  const { world } = tab;

  beforeAll(async () => {
    expect(await world.fleet.run("playground", "stop", eu)).toMatchObject({ code: 0 });
    await untilNotice(tab.page, /Disconnected: eu-west-1/);
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
    const { page } = tab;
    await tileOf(page, eu).click();
    await page.locator("[data-actions]").getByRole("button", { name: "Retry now" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Retry now" }).click();
    await eventually(async () => expect(await sheet.innerText()).toMatch(/The agent of eu-west-1 was asked/));
    await sheet.getByRole("button", { name: "Close" }).click();
    await sheet.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.locator("[data-panel]").waitFor({ state: "detached" });
  });

  test("[SE45] once the cluster is live again there is nothing to retry", async () => {
    const { page } = tab;
    expect(await world.fleet.run("playground", "start", eu)).toMatchObject({ code: 0 });
    await untilTile(page, eu, "live");
    await tileOf(page, eu).click();
    const actions = page.locator("[data-actions]");
    await actions.getByRole("button", { name: "Pause" }).waitFor();
    expect(await actions.getByRole("button", { name: "Retry now" }).count()).toBe(0);
  });
});

// SPDX-License-Identifier: Apache-2.0
// The hub itself goes away under an open page, forgets its viewer, or shows a viewer nothing.
import { describe, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openFleetPage } from "../e2e/page/fleet-page.ts";
import { isSamePage, markPage, untilAllLive } from "../e2e/page/page-browser.ts";

const eu = "eu-west-1";

interface ListedTokens {
  readonly logins: readonly { readonly id: string; readonly user: string }[];
}

describe("the page through the loss of its hub", () => {
  const tab = openFleetPage(2);
  const { world } = tab;

  test("[R-23][PG18] a hub that was killed: the page says so, keeps what it shows, and goes on by itself when it is back", async () => {
    const { page } = tab;
    await markPage(page);
    await world.fleet.program.end("SIGKILL");
    await eventually(async () => expect(await page.locator('[data-hub="lost"]').first().isVisible()).toBe(true));
    expect(await page.getByText(/The hub is lost for \d+ s/).count()).toBe(1);
    expect(await page.getByText("2 of 2 clusters were live").count()).toBe(1);
    expect(await page.locator("[data-cluster]").count()).toBe(2);
    await world.fleet.start();
    await eventually(async () => expect(await page.getByText(/The hub is lost/).count()).toBe(0));
    await untilAllLive(page, 2);
    expect(await isSamePage(page)).toBe(true);
  });

  test("[PG14] a login that ended asks for it again, and returns to the same place", async () => {
    const { page } = tab;
    await page.goto(`${world.fleet.httpUrl}/ui/clusters/${eu}?group=environment`);
    await page.locator(`[data-panel="${eu}"]`).waitFor();
    await untilAllLive(page, 2);
    const { logins } = (await world.fleet.json("token", "list")) as ListedTokens;
    expect(logins).toHaveLength(1);
    expect(await world.fleet.run("token", "revoke", logins[0]?.id ?? "")).toMatchObject({ code: 0 });
    await page.getByRole("dialog", { name: "Log in" }).waitFor();
    expect(await page.locator("[data-cluster]").count()).toBe(2);
    await page.getByLabel("Token").fill("not a token");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("the token is not one of this hub").waitFor();
    await page.getByLabel("Token").fill(world.fleet.hub.token);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("dialog", { name: "Log in" }).waitFor({ state: "detached" });
    await eventually(async () => expect(await page.getByText("hub live").count()).toBe(1));
    expect(page.url()).toContain(`/ui/clusters/${eu}?group=environment`);
  });

  test("[PG1][CL19] the menu on the user's name logs out: the login is gone, and so is what the page showed", async () => {
    const visitor = await world.openContext();
    const { page } = await world.logIn(visitor, "vera", "--groups", "flotilla:viewers");
    await page.locator("[data-cluster]").first().waitFor();
    const loginsOf = async (): Promise<number> =>
      ((await world.fleet.json("token", "list")) as ListedTokens).logins.filter(({ user }) => user === "vera").length;
    expect(await loginsOf()).toBe(1);
    await page.getByRole("button", { name: "vera: account" }).click();
    await page.getByText("Groups: flotilla:viewers").waitFor();
    await page.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL(/\/ui\/login$/);
    expect(await page.locator("[data-cluster]").count()).toBe(0);
    expect(await loginsOf()).toBe(0);
    await visitor.close();
  });

  test("[PG12][PG34][R-18] a viewer without the right to a cluster learns nothing of it from page, stream or error", async () => {
    const stranger = await world.openContext();
    const { page } = await world.logIn(stranger, "stranger");
    const bodies: Buffer[] = [];
    page.on("response", (response) => {
      response.body().then(
        (body) => void bodies.push(body),
        () => undefined, // a stream has no whole body
      );
    });
    const denied = page.getByRole("heading", { name: "Permission denied" });
    await denied.waitFor();
    for (const place of [`/ui/clusters/${eu}`, "/ui/changes"]) {
      await page.goto(`${world.fleet.httpUrl}${place}`);
      await denied.waitFor();
    }
    for (const path of [
      "/flotilla.fleet.v1.ClusterService/GetCluster",
      "/flotilla.fleet.v1.ClusterService/ListClusters",
    ]) {
      const answer = await page.evaluate(
        async ([address, id]) => {
          const response = await fetch(address ?? "", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(address?.endsWith("GetCluster") === true ? { id } : {}),
          });
          return { status: response.status, text: await response.text() };
        },
        [path, eu],
      );
      expect([answer.status, answer.text.includes("us-east-1")]).toEqual([403, false]);
    }
    expect(Buffer.concat(bodies).includes("us-east-1")).toBe(false);
    await stranger.close();
  });
});

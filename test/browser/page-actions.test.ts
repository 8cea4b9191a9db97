// SPDX-License-Identifier: Apache-2.0
// What can be done to a cluster from its panel, and what somebody sees who may only look.
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { virtualServiceKind } from "../../src/kinds/istio/virtual-service-kind.ts";
import { resourceIdText } from "../../src/model/gvr.ts";
import { undefine } from "../e2e/fleet/definitions.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openFleetPage } from "../e2e/page/fleet-page.ts";
import { tileOf } from "../e2e/page/page-browser.ts";
import { receivedClusters, recordContext } from "../e2e/page/received-bytes.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;

/** Of a Deployment whose Pods crash. */
const troubledPod = /crash|CrashLoopBackOff/;

describe("the panel of a cluster", () => {
  const tab = openFleetPage(2, { prepare: recordContext });
  const { world } = tab;

  beforeAll(async () => {
    expect(await world.fleet.run("playground", "trouble", eu, "crash-loop")).toMatchObject({ code: 0 });
  });

  /** Opens an action of the cluster's panel. */
  async function openAction(cluster: string, name: string): Promise<Locator> {
    const { page } = tab;
    await tileOf(page, cluster).click();
    await page.locator(`[data-panel="${cluster}"]`).getByRole("button", { name, exact: true }).click();
    const sheet = page.getByRole("dialog", { name });
    await sheet.waitFor();
    return sheet;
  }

  test("pause asks first; then the cluster is paused, and says so until it is resumed", async () => {
    const { page } = tab;
    const refused = await openAction(us, "Pause");
    expect(await refused.innerText()).toContain(`Stop following ${us}?`);
    await refused.getByRole("button", { name: "Cancel" }).click();
    await refused.waitFor({ state: "detached" });
    expect((await world.fleet.hub.cluster(us)).isPaused).toBe(false);

    const sheet = await openAction(us, "Pause");
    await sheet.getByRole("button", { name: "Pause" }).click();
    await sheet.getByRole("status").getByText(`${us} is paused.`).waitFor();
    await sheet.getByRole("button", { name: "Close" }).click();
    await eventually(async () => expect(await tileOf(page, us).innerText()).toContain("paused"));
    expect((await world.fleet.hub.cluster(us)).isPaused).toBe(true);

    const resume = await openAction(us, "Resume");
    await resume.getByRole("button", { name: "Resume" }).click();
    await resume.getByRole("status").getByText(`${us} is followed again.`).waitFor();
    await resume.getByRole("button", { name: "Close" }).click();
    await eventually(async () => expect(await tileOf(page, us).innerText()).not.toContain("paused"));
    expect((await world.fleet.hub.cluster(us)).isPaused).toBe(false);
  });

  test("relabel answers a line that is no label with a sentence, and a right one with the label among the facts", async () => {
    const { page } = tab;
    const sheet = await openAction(us, "Relabel");
    const labels = sheet.getByLabel("Labels");
    const before = await labels.inputValue();
    await labels.fill(`${before}\nblue`);
    await sheet.getByRole("button", { name: "Relabel" }).click();
    await sheet.getByRole("alert").getByText('"blue" is not a label').waitFor();
    await labels.fill(`${before}\nteam=blue`);
    await sheet.getByRole("button", { name: "Relabel" }).click();
    await sheet.getByRole("status").getByText(`${us} has its new labels.`).waitFor();
    await sheet.getByRole("button", { name: "Close" }).click();
    await page.locator(`[data-panel="${us}"]`).getByRole("link", { name: "blue" }).click();
    await eventually(async () => expect(await page.locator("[data-cluster]").count()).toBe(1));
    expect((await world.fleet.hub.cluster(us)).labels).toMatchObject({ team: "blue" });
    await page.goto(`${world.fleet.httpUrl}/ui/`);
  });

  test("[PG34] a user without rights is told that permission is denied on every page, not that no cluster has joined", async () => {
    const stranger = await world.logIn(await world.openContext(), "stranger", "--groups", "nobody:knows");
    const expectDenied = async (): Promise<void> => {
      await stranger.page.getByRole("heading", { name: "Permission denied" }).waitFor();
      expect(await stranger.page.getByText("No cluster has joined yet").count()).toBe(0);
    };
    await expectDenied(); // the login leads to the fleet; going elsewhere before it ends would break it off
    for (const path of ["changes", `clusters/${eu}`]) {
      await stranger.page.goto(`${world.fleet.httpUrl}/ui/${path}`);
      await expectDenied();
    }
  });

  test("[PG12] [L17] a viewer sees states and no action, and of the objects what the role view of the cluster shows", async () => {
    const context = await world.openContext();
    await recordContext(context);
    const viewer = await world.logIn(context, "look", "--groups", "flotilla:viewers");
    await tileOf(viewer.page, eu).click();
    await tileOf(tab.page, eu).click();
    for (const { page } of [tab, viewer]) {
      await page.locator('[data-hop="api-server"]').waitFor();
      await page.locator(`[data-panel="${eu}"]`).getByText(troubledPod).first().waitFor();
    }

    expect(await tab.page.getByRole("group", { name: "Actions" }).count()).toBe(1);
    expect(await viewer.page.getByRole("group", { name: "Actions" }).count()).toBe(0);
    const rowCountAt = async (page: Page): Promise<number> => {
      const counts = (await receivedClusters(page)).flatMap(({ id, objects }) => (id === eu ? (objects ?? []) : []));
      return Number(counts.at(-1)?.rowCount ?? 0);
    };
    const [all, some] = [await rowCountAt(tab.page), await rowCountAt(viewer.page)];
    expect(some).toBeGreaterThan(0);
    // Nodes, ClusterRoles and definitions are not in the role view.
    expect(some).toBeLessThan(all);
    expect(new Set((await receivedClusters(viewer.page)).map(({ id }) => id))).toEqual(new Set([eu, us]));
    await context.close();
  });

  test("[R-32] a kind whose definition was deleted is told to an admin as not installed", async () => {
    const { page } = tab;
    const client = world.fleet.connect(eu);
    await undefine(client, virtualServiceKind);
    const line = page.locator(`[data-kind="${resourceIdText(virtualServiceKind.resource)}"]`);
    await eventually(async () => expect(await line.count()).toBe(0));
    await page.getByRole("button", { name: /kinds? that (is|are) not installed/ }).click();
    expect(await line.getAttribute("data-state")).toBe("notInstalled");
    expect(await tileOf(page, eu).getAttribute("data-state")).toBe("live");
  });

  test("remove wants the name typed; then the cluster is gone from page and hub, and that is said", async () => {
    const { page } = tab;
    await page.goto(`${world.fleet.httpUrl}/ui/`);
    const sheet = await openAction(us, "Remove");
    const remove = sheet.getByRole("button", { name: "Remove" });
    expect(await remove.isDisabled()).toBe(true);
    await sheet.getByRole("textbox").fill("us-east");
    expect(await remove.isDisabled()).toBe(true);
    await sheet.getByRole("textbox").fill(us);
    await remove.click();
    await page.getByRole("status").getByText(`${us} is removed.`).waitFor();
    await eventually(async () => expect(await tileOf(page, us).count()).toBe(0));
    await expect(world.fleet.hub.cluster(us)).rejects.toThrow(/there is no cluster/);
    await page.getByText("1 of 1 cluster live").waitFor();
  });
});

// SPDX-License-Identifier: Apache-2.0
// The feed of changes as a person meets it: there is something in it when they come, and it goes on.
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openFleetPage } from "../e2e/page/fleet-page.ts";
import type { KubeClient } from "../kubernetes/kube-client.ts";

const eu = "eu-west-1";
const configMaps = "/api/v1/namespaces/shop/configmaps";

describe("the feed of changes", () => {
  const tab = openFleetPage(1);
  const { world } = tab;
  let client: KubeClient;

  beforeAll(() => {
    client = world.fleet.connect(eu);
  });

  /** The lines of the feed that are about our objects, and the one between what was and what is, from above. */
  async function lines(): Promise<readonly string[]> {
    const texts = await tab.page.getByRole("log").locator("p").allInnerTexts();
    return texts.flatMap((text) => /Before you opened this page|shop\/seen-\w+/.exec(text) ?? []);
  }

  async function make(name: string): Promise<void> {
    await client.ask("POST", configMaps, { body: { metadata: { name } } });
    await world.fleet.hub.untilRow(eu, `configmaps shop/${name}`);
  }

  test("[PG25] begins with what changed before one came, marked so, and goes on above it, each change once", async () => {
    const { page } = tab;
    await make("seen-before");
    // Of one kind: only lines in sight are drawn, and a cluster that has just started changes by the dozen.
    await page.goto(`${world.fleet.httpUrl}/ui/changes?kind=configmaps`);
    await eventually(async () => expect(await lines()).toEqual(["Before you opened this page", "shop/seen-before"]));
    await make("seen-after");
    const all = ["shop/seen-after", "Before you opened this page", "shop/seen-before"];
    await eventually(async () => expect(await lines()).toEqual(all));
    await make("seen-last");
    await eventually(async () => expect(await lines()).toEqual(["shop/seen-last", ...all]));
  });

  test("[PG25][PG21] a filter in the address is asked of what was before, too", async () => {
    const { page } = tab;
    await page.goto(`${world.fleet.httpUrl}/ui/changes?kind=configmaps&namespace=shop`);
    await eventually(async () => {
      expect((await lines()).toSorted()).toEqual([
        "Before you opened this page",
        "shop/seen-after",
        "shop/seen-before",
        "shop/seen-last",
      ]);
    });
    expect((await lines())[0]).toBe("Before you opened this page");
    await page.goto(`${world.fleet.httpUrl}/ui/changes?namespace=nothing`);
    await page.getByText("No changes lately.").waitFor();
  });

  test("[CL3] a filter applies while one types, and an unknown kind or cluster is said", async () => {
    const { page } = tab;
    await page.goto(`${world.fleet.httpUrl}/ui/changes?namespace=shop`);
    const kinds = page.getByRole("searchbox", { name: "Kinds" });
    await kinds.pressSequentially("cm");
    await page.waitForURL(/kind=cm/);
    await eventually(async () => expect(await lines()).toContain("shop/seen-last"));
    await kinds.fill("podz");
    await page.getByText('no cluster has a kind "podz"; did you mean "pods"?').waitFor();
    await kinds.fill("");
    await page.getByRole("searchbox", { name: "Clusters" }).fill("eu-wst-1");
    await page.getByText('there is no cluster "eu-wst-1"; did you mean "eu-west-1"?').waitFor();
  });
});

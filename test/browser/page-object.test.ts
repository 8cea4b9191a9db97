// SPDX-License-Identifier: Apache-2.0
// One object on the page: read from its cluster when somebody looks, and kept nowhere else.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { create, toBinary } from "@bufbuild/protobuf";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { GetObjectResponseSchema } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { openFleetPage } from "../e2e/page/fleet-page.ts";
import { startLimitMs } from "../e2e/page/page-browser.ts";
import type { KubeClient } from "../kubernetes/kube-client.ts";
import { findStoredText } from "../support/stored-text.ts";

const eu = "eu-west-1";
const pods = "/api/v1/namespaces/shop/pods";
const marker = "kept-in-its-cluster-5f0c";
const call = "**/flotilla.query.v1.QueryService/GetObject";
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A Pod whose container ends with an error again and again, so that it is among what is unhealthy. */
function brokenPod(name: string): object {
  const env = [
    { name: "MARKER", value: `${marker} of ${name}` },
    { name: "MARKUP", value: '<b id="markup">bold</b><img src="x" onerror="alert(1)">' },
  ];
  const container = { name: "app", image: "example.com/app:1", command: ["sh", "-c", "exit 1"], env };
  return { metadata: { name, namespace: "shop" }, spec: { containers: [container] } };
}

describe("one object on the page", { timeout: startLimitMs }, () => {
  const tab = openFleetPage(1, { context: { viewport: { width: 1_440, height: 900 } } });
  const { world } = tab;
  let client: KubeClient;

  beforeAll(async () => {
    client = world.fleet.connect(eu);
    for (const name of ["marked-a", "marked-b"]) await client.ask("POST", pods, { body: brokenPod(name) });
    await tab.page.goto(`${world.fleet.httpUrl}/ui/clusters/${eu}`);
    for (const name of ["marked-a", "marked-b"]) await rowOf(name).waitFor();
  }, startLimitMs);

  const rowOf = (name: string): Locator => tab.page.getByRole("link", { name: `shop/${name}`, exact: true }).first();
  const panelOf = (name: string): Locator => tab.page.locator(`[data-object-panel="shop/${name}"]`);
  const textOf = (name: string): Locator => panelOf(name).locator("pre");
  const addressOf = (name: string): string => `${world.fleet.httpUrl}/ui/clusters/${eu}/objects/pods/shop/${name}`;

  /** Until the text of the object is there. All of it, also what is out of sight and so not laid out. */
  async function untilRead(name: string): Promise<string> {
    await textOf(name).getByText(`${marker} of ${name}`).waitFor();
    return (await textOf(name).textContent()) ?? "";
  }

  const focused = (page: Page): Promise<unknown> => page.evaluate("document.activeElement?.textContent");

  test("[N-2] a Pod's environment is on its page, and in no file of the hub", async () => {
    const { page } = tab;
    await rowOf("marked-a").click();
    expect(await untilRead("marked-a")).toContain(`\n    - name: MARKER\n      value: ${marker} of marked-a\n`);
    expect(page.url()).toBe(addressOf("marked-a"));
    await page.reload();
    await untilRead("marked-a");

    const find = (text: string) => findStoredText(world.fleet.dataDir, text, ["playground"]);
    expect(find(marker)).toEqual({ files: [], values: [] });
    expect(find("marked-a").values).not.toEqual([]);
  });

  test("[PG28] what a cluster wrote is text: its markup is not the page's", async () => {
    const { page } = tab;
    await page.goto(addressOf("marked-a"));
    expect(await untilRead("marked-a")).toContain(
      '"<b id=\\"markup\\">bold</b><img src=\\"x\\" onerror=\\"alert(1)\\">"',
    );
    expect(await page.locator("#markup, pre img").count()).toBe(0);
    await panelOf("marked-a").getByRole("heading", { name: "Pod shop/marked-a" }).waitFor();
    await panelOf("marked-a").getByText("live", { exact: true }).waitFor();
  });

  test("[PG28] an object of a megabyte is there whole, and its managed fields when they are asked for", async () => {
    const { page } = tab;
    const managedFields = [{ manager: "kubelet" }, { manager: "kubectl" }];
    const data = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, "a value: of some length, quoted"]),
    );
    const object = JSON.stringify({ kind: "ConfigMap", metadata: { name: "large", managedFields }, data });
    expect(object.length).toBeGreaterThan(900_000);
    const body = Buffer.from(toBinary(GetObjectResponseSchema, create(GetObjectResponseSchema, { object })));
    await page.route(call, (route) => route.fulfill({ body, contentType: "application/proto" }));
    await page.goto(`${world.fleet.httpUrl}/ui/clusters/${eu}/objects/configmaps/shop/large`);
    await textOf("large").getByText("kind: ConfigMap").waitFor();
    const readText = async (): Promise<string> => (await textOf("large").textContent()) ?? "";
    expect((await readText()).split("\n")).toHaveLength(20_005);
    expect(await readText()).not.toContain("manager");
    await panelOf("large").getByRole("button", { name: "Show managedFields (2)" }).click();
    await eventually(async () => expect(await readText()).toContain("\n  - manager: kubelet\n  - manager: kubectl\n"));
    await page.unrouteAll();
  });

  test("[PG27] j and k walk along what is unhealthy, Esc leads back to the row; by keys alone", async () => {
    const { page } = tab;
    await page.goto(`${world.fleet.httpUrl}/ui/clusters/${eu}?as=table`);
    await rowOf("marked-a").focus();
    await page.keyboard.press("Enter");
    await untilRead("marked-a");
    const order = await page.locator("[data-object] a").allInnerTexts();
    const step = order.indexOf("shop/marked-b") - order.indexOf("shop/marked-a");
    for (let count = 0; count < Math.abs(step); count += 1) await page.keyboard.press(step > 0 ? "j" : "k");
    await untilRead("marked-b");
    expect(page.url()).toBe(`${addressOf("marked-b")}?as=table`);
    // The list may be drawn anew in between: the status of a broken Pod changes with each restart.
    await eventually(async () =>
      expect(await page.locator('[aria-current="true"]').allInnerTexts()).toEqual(["shop/marked-b"]),
    );
    await page.keyboard.press("Escape");
    await page.locator(`[data-panel="${eu}"]`).waitFor();
    expect(page.url()).toBe(`${world.fleet.httpUrl}/ui/clusters/${eu}?as=table`);
    await eventually(async () => expect(await focused(page)).toBe("shop/marked-b"));
  });

  test("[PG27] a change leads to its object beside the feed, which holds still; a removal leads nowhere", async () => {
    const { page } = tab;
    await client.ask("POST", pods, { body: brokenPod("short-lived") });
    await world.fleet.hub.untilRow(eu, "pods shop/short-lived");
    await client.ask("DELETE", `${pods}/short-lived?gracePeriodSeconds=0`);
    await world.fleet.hub.untilRow(eu, "pods shop/short-lived", false);
    await page.goto(`${world.fleet.httpUrl}/ui/changes?kind=pods&namespace=shop`);
    const removed = page.locator('[data-change="removed pods shop/short-lived"]');
    await removed.waitFor();
    expect(await removed.locator('a[href*="objects"]').count()).toBe(0);
    await page.locator('[data-change$="pods shop/marked-a"] a[href*="objects"]').first().click();
    await untilRead("marked-a");
    const address = `${world.fleet.httpUrl}/ui/changes/objects/${eu}/pods/shop/marked-a?kind=pods&namespace=shop`;
    expect(page.url()).toBe(address);
    await page.getByText(/^Paused, /).waitFor();
    await page.reload();
    await untilRead("marked-a");
    await removed.waitFor();
    await page.keyboard.press("Escape");
    await panelOf("marked-a").waitFor({ state: "detached" });
    expect(page.url()).toBe(`${world.fleet.httpUrl}/ui/changes?kind=pods&namespace=shop`);
    await eventually(async () => expect(await focused(page)).toBe("shop/marked-a"));
  });

  test("[PG29] what was read stays where it cannot be read again, and says why; then it is read again", async () => {
    const { page } = tab;
    await page.goto(addressOf("marked-a"));
    await untilRead("marked-a");
    const again = panelOf("marked-a").getByRole("button", { name: "Read again" });
    const alert = panelOf("marked-a").getByRole("alert");
    await page.route(call, (route) => route.abort());
    await again.click();
    await alert.getByText("The hub cannot be reached.").waitFor();
    expect(await textOf("marked-a").getAttribute("data-old")).toBe("");
    expect(await textOf("marked-a").textContent()).toContain(marker);
    await page.unroute(call);
    await page.keyboard.press("r");
    await eventually(async () => expect(await textOf("marked-a").getAttribute("data-old")).toBe(null));
    expect(await alert.innerText()).toBe("");
    expect(
      await panelOf("marked-a")
        .getByText(/^Read \d+ s ago$/)
        .count(),
    ).toBe(1);
  });

  test("[PG29] an answer that comes after another object was opened is dropped, and nothing is read by itself", async () => {
    const { page } = tab;
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    let callCount = 0;
    await page.route(call, async (route) => {
      callCount += 1;
      if (callCount === 1) await opened;
      await route.continue().catch(() => undefined); // the page has left the call
    });
    await page.goto(addressOf("marked-a"));
    await panelOf("marked-a").getByText(`Reading it from ${eu}.`).waitFor();
    await rowOf("marked-b").click();
    await untilRead("marked-b");
    open();
    await page.getByText(/^Read [2-9] s ago$/).waitFor();
    expect([callCount, await page.locator("pre").count()]).toEqual([2, 1]);
    expect(await textOf("marked-b").textContent()).not.toContain("of marked-a");
    await page.unrouteAll();
  });

  test("[PG29] an object that is gone, a kind and an address that are none: each is said in one sentence", async () => {
    const { page } = tab;
    await page.goto(
      `${world.fleet.httpUrl}/ui/clusters/${eu}/objects/clusterroles.rbac.authorization.k8s.io/cluster-admin`,
    );
    await page.locator("pre").getByText("kind: ClusterRole").waitFor();
    for (const [path, sentence] of [
      ["pods/shop/never-was", /never-was/],
      ["things.example.com/shop/one", /things/],
      ["pods/a/b/c", /names no object/],
    ] as const) {
      await page.goto(`${world.fleet.httpUrl}/ui/clusters/${eu}/objects/${path}`);
      await page.getByRole("alert").filter({ hasText: sentence }).waitFor();
      expect(await page.locator("pre").count()).toBe(0);
    }
  });

  const themes = ["dark", "light"] as const;
  const places = [`clusters/${eu}/objects/pods/shop/marked-a`, `changes/objects/${eu}/pods/shop/marked-a`];

  test.each(themes.flatMap((theme) => places.map((place) => [place, theme] as const)))(
    "axe finds nothing wrong at %s in the %s theme, and a narrow screen shows it alone",
    async (place, colorScheme) => {
      const { page } = tab;
      await page.emulateMedia({ colorScheme });
      await page.goto(`${world.fleet.httpUrl}/ui/${place}`);
      await untilRead("marked-a");
      await page.evaluate(axeSource);
      const { violations } = (await page.evaluate("axe.run()")) as { violations: readonly { readonly id: string }[] };
      expect(violations.map(({ id }) => id)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      expect(await page.locator("[data-object], [data-change]").first().isVisible()).toBe(false);
      const sides = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect(await page.evaluate(sides)).toBe(0);
      await page.setViewportSize({ width: 1_440, height: 900 });
    },
  );

  test("[PG29][PG18] a hub that is lost takes nothing away, and what was read can be read again when it is back", async () => {
    const { page } = tab;
    await page.goto(addressOf("marked-a"));
    await untilRead("marked-a");
    await world.fleet.program.end("SIGKILL");
    await page.getByText(/The hub is lost/).waitFor();
    await page.keyboard.press("r");
    await panelOf("marked-a").getByText("The hub cannot be reached.").waitFor();
    expect(await textOf("marked-a").textContent()).toContain(marker);
    await world.fleet.start();
    await eventually(async () => expect(await page.getByText(/The hub is lost/).count()).toBe(0));
    await eventually(async () => {
      await page.keyboard.press("r");
      expect(await panelOf("marked-a").getByRole("alert").innerText()).toBe("");
    });
    expect(await textOf("marked-a").textContent()).toContain(marker);
  });
});

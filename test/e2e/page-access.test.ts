// SPDX-License-Identifier: Apache-2.0
// The page for people who see, hear or point differently: axe on every page in both themes, and a walk by keys alone.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "./fleet/eventually.ts";
import { openFleetPage } from "./page/fleet-page.ts";
import { tileOf, untilTile } from "./page/page-browser.ts";

const eu = "eu-west-1";
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What axe finds wrong on the page as it is. */
async function findViolations(page: Page): Promise<string[]> {
  // By the debugger, not as an element: the page's own policy would refuse it.
  await page.evaluate(axeSource);
  const { violations } = (await page.evaluate("axe.run()")) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe("the page for everybody", () => {
  const tab = openFleetPage(2, { context: { viewport: { width: 1440, height: 900 } } });
  const { world } = tab;

  beforeAll(async () => {
    expect(await world.fleet.run("playground", "stop", eu)).toMatchObject({ code: 0 });
    await untilTile(tab.page, eu, "disconnected");
  });

  const places = [
    "/ui/",
    "/ui/?as=table",
    `/ui/clusters/${eu}`,
    "/ui/changes",
    "/ui/login",
    "/ui/gallery",
    "/ui/nowhere",
  ];

  test.each(places.flatMap((place) => (["dark", "light"] as const).map((theme) => [place, theme] as const)))(
    "axe finds nothing wrong at %s in the %s theme",
    async (place, colorScheme) => {
      const { page } = tab;
      await page.emulateMedia({ colorScheme });
      await page.goto(`${world.fleet.httpUrl}${place}`);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      if (place === "/ui/" || place === "/ui/?as=table") await untilTile(page, eu, "disconnected");
      if (place.includes("clusters")) await page.locator("[data-kind]").first().waitFor();
      expect(await findViolations(page)).toEqual([]);
    },
  );

  test("[R-32] by keys alone one finds out why a cluster is red", async () => {
    const { page } = tab;
    await page.goto(`${world.fleet.httpUrl}/ui/`);
    await untilTile(page, eu, "disconnected");
    await page.keyboard.press("/");
    await page.keyboard.type("state:disconnected");
    await eventually(async () => expect(await page.locator("[data-cluster]").count()).toBe(1));
    expect(page.url()).toContain("filter=state");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    const panel = page.locator(`[data-panel="${eu}"]`);
    await panel.waitFor();
    await eventually(async () =>
      expect(await panel.locator('[data-hop="api-server"]').innerText()).toMatch(/lost, connection refused/),
    );
    await page.keyboard.press("?");
    const sheet = page.getByRole("dialog", { name: "Keys" });
    await sheet.waitFor();
    expect(await sheet.innerText()).toMatch(/Next cluster/);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("us-east");
    await page.keyboard.press("Enter");
    await page.locator('[data-panel="us-east-1"]').waitFor();
  });

  test("[PG21] what one looks at is in the address: a reload shows the same", async () => {
    const { page } = tab;
    await page.goto(`${world.fleet.httpUrl}/ui/?as=table&group=none&sort=name&down=true`);
    await untilTile(page, eu, "disconnected");
    const lines = await page.locator("[data-cluster]").all();
    const order = await Promise.all(lines.map((line) => line.getAttribute("data-cluster")));
    expect(order).toEqual(["us-east-1", eu]);
    await page.reload();
    await untilTile(page, eu, "disconnected");
    expect(await page.getByRole("button", { name: "Table" }).getAttribute("aria-pressed")).toBe("true");
  });

  test("a narrow screen shows the fleet, and the cluster in its place", async () => {
    const { page } = tab;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${world.fleet.httpUrl}/ui/`);
    await tileOf(page, eu).click();
    await page.locator(`[data-panel="${eu}"]`).waitFor();
    expect(await tileOf(page, eu).isVisible()).toBe(false);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(overflow).toBe(0);
  });
});

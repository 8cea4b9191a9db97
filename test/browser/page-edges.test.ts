// SPDX-License-Identifier: Apache-2.0
// What a page must bear: the longest names there are, an error of four kilobytes from right to left, a credential that
// ends, and screens of every size.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { flotilla } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { HubBrowser } from "../e2e/page/hub-browser.ts";
import { noticesOf, startLimitMs, tileOf, untilTile, type WatchedPage } from "../e2e/page/page-browser.ts";
import { StrangeApiServer, tokenThatEnds } from "../e2e/page/strange-api-server.ts";

const dayMs = 86_400_000;

/** A DNS label has at most 63 characters; of these one cannot be broken anywhere, and the other at hyphens. */
const solid = `${"w".repeat(62)}1`;
const hyphened = "production-of-the-payments-and-settlement-team-in-frankfurt-a-2";

/** Where the pictures go for somebody who looks at them; nowhere unless it is said. */
const pictures = process.env["FLOTILLA_TEST_PICTURES"];

async function takePicture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/**
 * What is wider than the place it has: the page itself, or a part that can be moved sideways. A table may: it is made
 * for it.
 */
async function findOverflow(page: Page): Promise<unknown> {
  return page.evaluate(`
    [...document.querySelectorAll("*")].filter((element) => {
      const { overflowX } = getComputedStyle(element);
      const isRoot = element === document.documentElement || element === document.body;
      const canMove = isRoot || overflowX === "auto" || overflowX === "scroll";
      const isTable = element.querySelector(":scope > table") !== null;
      return canMove && !isTable && element.scrollWidth > element.clientWidth + 1;
    }).map((element) => element.tagName + "." + element.className + " " + element.scrollWidth)
  `);
}

interface ForeignWords {
  /** How often such words are on the page. */
  readonly count: number;
  /** Elements in which they are not by themselves, or not kept from what is beside them. */
  readonly loose: readonly string[];
  /** How many sentences of ours end with them in parentheses. */
  readonly closedCount: number;
  /** Those whose last parenthesis is not drawn right before the full stop. */
  readonly torn: readonly string[];
}

async function findForeignWords(page: Page): Promise<ForeignWords> {
  const found = await page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const [loose, torn] = [[], []];
    const placeOf = (node, index) => {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + 1);
      return range.getBoundingClientRect();
    };
    let [count, closedCount] = [0, 0];
    while (texts.nextNode() !== null) {
      const node = texts.currentNode;
      if (!/\\p{Script=Arabic}/u.test(node.nodeValue)) continue;
      count += 1;
      const parent = node.parentElement;
      const isAlone = [...parent.childNodes].every((each) => each === node || each.textContent.trim() === "");
      const isKept = /isolate|plaintext/.test(getComputedStyle(parent).unicodeBidi);
      if (!isAlone || !isKept) loose.push(parent.tagName + "." + parent.className);
      if (!node.nodeValue.endsWith(").")) continue;
      closedCount += 1;
      const [parenthesis, stop] = [2, 1].map((fromEnd) => placeOf(node, node.length - fromEnd));
      const isBeside = parenthesis.top === stop.top && Math.abs(stop.left - parenthesis.right) < 1;
      if (!isBeside) torn.push(parent.tagName + "." + parent.className);
    }
    return { count, loose, closedCount, torn };
  })()`);
  return found as ForeignWords;
}

describe("the edges of what a page can show", () => {
  const world = new HubBrowser();
  const servers = new Map([
    [solid, new StrangeApiServer("uid-solid")],
    [hyphened, new StrangeApiServer("uid-hyphened")],
  ]);
  let tab: WatchedPage;

  beforeAll(async () => {
    await Promise.all([
      world.start("--allow-loopback-imports", "--heartbeat-interval", "3s"),
      ...[...servers.values()].map((server) => server.start()),
    ]);
    for (const [name, server] of servers) {
      const file = join(world.folder, `${name}.yaml`);
      const inMs = name === solid ? 2.5 * dayMs : 300.5 * dayMs;
      server.writeKubeconfig(file, name, tokenThatEnds(Date.now(), { agoMs: 90 * dayMs, inMs }));
      const { code, stderr } = await flotilla(world.folder, [
        "cluster",
        "import",
        "--own-credential",
        "--kubeconfig",
        file,
      ]);
      expect([code, stderr]).toEqual([0, ""]);
    }
    tab = await world.logIn(await world.openContext({ viewport: { width: 1_280, height: 800 } }));
    for (const name of servers.keys()) {
      await eventually(async () => expect(await stateOf(name)).not.toBe("neverSeen"), startLimitMs);
    }
  }, 2 * startLimitMs);

  afterAll(async () => {
    await world.close();
    for (const server of servers.values()) await server.close();
  }, startLimitMs);

  async function stateOf(name: string): Promise<string | null> {
    return tileOf(tab.page, name).getAttribute("data-state");
  }

  async function openPanel(name: string): Promise<void> {
    await tab.page.goto(`${world.address.httpUrl}/ui/clusters/${name}`);
    await tab.page.locator(`[data-panel="${name}"]`).waitFor();
  }

  test("[SE46] a cluster says when the credential of its agent ends, and that it is time where it is", async () => {
    const { page } = tab;
    const credential = page.locator("[data-credential]");
    await openPanel(solid);
    await credential.waitFor();
    expect(await credential.innerText()).toMatch(/ends in 2 d/);
    expect(await credential.getAttribute("data-credential")).toBe("trouble");
    await openPanel(hyphened);
    await credential.waitFor();
    expect(await credential.innerText()).toMatch(/ends in 300 d/);
    expect(await credential.getAttribute("data-credential")).toBe("good");
  });

  // Agents of imported clusters probe every 10 s, and it takes three answers of 500 in a row (HE5): 30 s, and as much
  // again for a busy machine.
  test("a notice that names the longest cluster is not wider than a narrow screen", { timeout: 120_000 }, async () => {
    const { page } = tab;
    servers.get(solid)!.isUnwell = true;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${world.address.httpUrl}/ui/`);
    await eventually(async () => expect(await noticesOf(page).filter({ hasText: solid }).count()).toBe(1), 90_000);
    expect(await findOverflow(page)).toEqual([]);
  });

  describe("with all that is wrong", () => {
    beforeAll(async () => {
      for (const server of servers.values()) server.isUnwell = true;
      await tab.page.goto(`${world.address.httpUrl}/ui/`);
      for (const name of servers.keys()) await untilTile(tab.page, name, "disconnected");
    });

    const places = ["/ui/", "/ui/?as=table", `/ui/clusters/${solid}`, `/ui/clusters/${hyphened}`, "/ui/changes"];
    const sizes = [
      [1_280, 800],
      [390, 844],
      [2_560, 1_440],
    ] as const;

    test.each(sizes.flatMap(([width, height]) => places.map((place) => [place, width, height] as const)))(
      "nothing of %s is wider than a screen of %d to %d",
      async (place, width, height) => {
        const { page } = tab;
        await page.setViewportSize({ width, height });
        await page.goto(`${world.address.httpUrl}${place}`);
        if (place.includes("clusters")) {
          await page.locator('[data-kind="pods"]').waitFor();
          await page.locator('[data-hop="api-server"][data-state="lost"]').waitFor();
          expect(await page.locator("[data-panel]").innerText()).toContain("تعذر على الخادم");
        } else if (!place.includes("changes")) await tileOf(page, solid).waitFor();
        await noticesOf(page).first().waitFor();
        await takePicture(page, `${width}-${places.indexOf(place)}`);
        expect(await findOverflow(page)).toEqual([]);
      },
    );

    test("words of another direction turn nothing around that is not theirs", async () => {
      const { page } = tab;
      await page.setViewportSize({ width: 1_280, height: 800 });
      await openPanel(solid);
      await page.locator('[data-hop="api-server"][data-state="lost"]').waitFor();
      const { count, loose, closedCount, torn } = await findForeignWords(page);
      expect([count > 2, closedCount > 1]).toEqual([true, true]);
      expect([loose, torn]).toEqual([[], []]);
    });
  });

  test("[PG19] somebody who may not change clusters is offered no retry, in the notice or on the cluster's page", async () => {
    const context = await world.openContext({ viewport: { width: 1_280, height: 800 } });
    const viewer = await world.logIn(context, "look", "--groups", "flotilla:viewers");
    for (const { page } of [tab, viewer]) {
      await page.goto(`${world.address.httpUrl}/ui/clusters/${solid}`);
      await page.locator('[data-hop="api-server"][data-state="lost"]').waitFor();
      await noticesOf(page).first().waitFor();
    }
    const retry = { name: "Retry now" } as const;
    const offered = [tab.page.locator("[data-actions]"), noticesOf(tab.page).first()];
    for (const place of offered)
      await eventually(async () => expect(await place.getByRole("button", retry).count()).toBe(1));
    expect(await viewer.page.getByRole("button", retry).count()).toBe(0);
    await context.close();
  });
});

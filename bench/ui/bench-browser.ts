// SPDX-License-Identifier: Apache-2.0
// The page in a browser: how soon it is there, and what a busy fleet makes of it.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { openBrowser } from "../../test/support/browser.ts";
import { untilTrue } from "../support/bench-hub.ts";
import { quantile, reportPromise } from "../support/promise.ts";
import type { PageHub } from "./page-hub.ts";
import { type ProbeFigures, probeScript } from "./page-probe.ts";
import { traceTasks } from "./task-trace.ts";

/** As issue 6 promises them. */
const goals = { interactiveMs: 1_500, longTaskMs: 100 } as const;

/** Loads with an empty cache, of which the middle one counts. */
const loadCount = 5;

/** A page that takes longer does not come at all. */
const loadLimitMs = 30_000;

/** Before the heap is measured: code is compiled, and every tile in sight has changed. */
const warmUpMs = 10_000;

/**
 * A heap that grows by less in a minute is flat: what is kept of one change more is some 100 bytes, of 30,000 of them 3
 * MB.
 */
const flatMib = 1;

const viewport = { width: 1_600, height: 1_000 };

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;

/** Loads, then so many seconds of changes, as `how` says. */
export async function benchBrowser(
  hub: PageHub,
  how: { readonly clusterCount: number; readonly changesPerSecond: number; readonly seconds: number },
): Promise<void> {
  const browser = await openBrowser();
  try {
    const cookies = await logIn(browser, hub);
    await benchLoads(browser, hub, cookies, how.clusterCount);
    for (const look of ["", "?as=table"]) await benchChanges(browser, hub, cookies, { ...how, look });
  } finally {
    await browser.close();
  }
}

async function logIn(browser: Browser, hub: PageHub): Promise<Cookies> {
  const context = await browser.newContext({ viewport });
  const page = await context.newPage();
  await page.goto(await hub.createLink());
  await page.waitForSelector("[data-cluster]");
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

/** A page in a context of its own: nothing is cached, and no worker runs yet. */
async function openPage(browser: Browser, cookies: Cookies): Promise<Page> {
  const context = await browser.newContext({ viewport });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.addInitScript({ content: probeScript });
  return page;
}

const readProbe = (page: Page): Promise<ProbeFigures> => page.evaluate<ProbeFigures>("globalThis.benchProbe");

async function benchLoads(browser: Browser, hub: PageHub, cookies: Cookies, clusterCount: number): Promise<void> {
  const interactive: number[] = [];
  const tiles: number[] = [];
  const longTasks: number[] = [];
  let longestCpuMs = 0;
  for (let load = 0; load < loadCount; load += 1) {
    const page = await openPage(browser, cookies);
    const traced = await traceTasks(browser, page, async () => {
      await page.goto(`${hub.place.plainUrl}/ui/`);
      await untilTrue("the tiles", async () => (await readProbe(page)).tilesMs > 0, loadLimitMs);
      await page.keyboard.press("?");
      await untilTrue("the answer to a key", async () => (await readProbe(page)).answeredMs > 0, loadLimitMs);
    });
    const probe = await readProbe(page);
    interactive.push(probe.answeredMs);
    tiles.push(probe.tilesMs);
    longTasks.push(...probe.longTasks);
    longestCpuMs = Math.max(longestCpuMs, traced.longestCpuMs);
    await page.context().close();
  }
  const sorted = interactive.toSorted((a, b) => a - b);
  reportPromise({
    bench: "ui",
    what: `interactive with ${clusterCount} clusters: tiles drawn and a key answered`,
    ours: quantile(sorted, 0.5),
    unit: "ms",
    against: { kind: "atMost", value: goals.interactiveMs },
    more: {
      worstMs: sorted.at(-1) ?? 0,
      tilesMs: quantile(
        tiles.toSorted((a, b) => a - b),
        0.5,
      ),
    },
  });
  reportTasks(`longest task of ${loadCount} loads`, { longestCpuMs, longTasks });
}

interface Run {
  readonly clusterCount: number;
  readonly changesPerSecond: number;
  readonly seconds: number;
  /** What stands in the address: tiles or table. */
  readonly look: string;
}

async function benchChanges(
  browser: Browser,
  hub: PageHub,
  cookies: Cookies,
  { changesPerSecond, seconds, look }: Run,
): Promise<void> {
  const page = await openPage(browser, cookies);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const heapMib = async (): Promise<number> => {
    await devtools.send("HeapProfiler.collectGarbage");
    return (await devtools.send("Runtime.getHeapUsage")).usedSize / 2 ** 20;
  };
  const taskSeconds = async (): Promise<number> => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  };
  await page.goto(`${hub.place.plainUrl}/ui/${look}`);
  await page.waitForSelector("[data-cluster]");
  await hub.setRate(changesPerSecond);
  await page.waitForTimeout(warmUpMs);
  const [heapBefore, countBefore] = [await heapMib(), await hub.setRate(changesPerSecond)];
  await page.evaluate("globalThis.benchProbe.longTasks.length = 0");
  const [busyBefore, startedMs] = [await taskSeconds(), performance.now()];
  const { longestCpuMs } = await traceTasks(browser, page, () => page.waitForTimeout(seconds * 1_000));
  const busy = ((await taskSeconds()) - busyBefore) / ((performance.now() - startedMs) / 1_000);
  // Before the collection of garbage, which is a long task of the bench's own.
  const { longTasks } = await readProbe(page);
  const madePerSecond = ((await hub.setRate(0)) - countBefore) / ((performance.now() - startedMs) / 1_000);
  const heapAfter = await heapMib();
  await page.context().close();
  const what = `${look === "" ? "tiles" : "table"}, ${seconds} s at ${changesPerSecond} changes/s`;
  const more = { madePerSecond, pageBusyPercent: busy * 100 };
  reportTasks(`longest task: ${what}`, { longestCpuMs, longTasks, more });
  reportPromise({
    bench: "ui",
    what: `growth of the heap: ${what}`,
    ours: heapAfter - heapBefore,
    unit: "MiB",
    against: { kind: "atMost", value: flatMib },
    more: { beforeMib: heapBefore, afterMib: heapAfter },
  });
}

interface Tasks {
  readonly longestCpuMs: number;
  /** As the page's observer tells of them, over 50 ms only. */
  readonly longTasks: readonly number[];
  readonly more?: Readonly<Record<string, number>>;
}

/**
 * By CPU time, which other programs do not change, and by wall time, which users notice and which depends on the load
 * of the machine.
 */
function reportTasks(what: string, { longestCpuMs, longTasks, more = {} }: Tasks): void {
  const shared = { bench: "ui", unit: "ms", against: { kind: "atMost", value: goals.longTaskMs } } as const;
  reportPromise({ ...shared, what: `${what}, CPU`, ours: longestCpuMs, more });
  const counts = { over50MsCount: longTasks.length };
  reportPromise({ ...shared, what: `${what}, clock (0: none over 50)`, ours: Math.max(0, ...longTasks), more: counts });
}

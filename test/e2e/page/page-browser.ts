// SPDX-License-Identifier: Apache-2.0
// A browser and what a test looks at in it, whatever hub it looks at.
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { systemCodeOf } from "../../../src/kube/credentials/read-bounded.ts";
import { openBrowser } from "../../support/browser.ts";
import { eventually } from "../fleet/eventually.ts";

/** Failures of scripts and refusals of the policy in a page: none is ever expected. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
}

/** Several processes and a browser, each begun on a machine that is busy. For the hooks that do. */
export const startLimitMs = 120_000;

/** What a context of the browser is opened with. */
export type ContextOptions = Parameters<Browser["newContext"]>[0];

/** Start it, close it; its contexts are closed with it. */
export class PageBrowser {
  /** A promise, so that a browser that is still starting when a test gives up is closed all the same. */
  #browser: Promise<Browser> | undefined;
  readonly #tabs: WatchedPage[] = [];
  readonly #stoppedPids = new Set<number>();

  async start(): Promise<void> {
    this.#browser = openBrowser();
    await this.#browser;
  }

  /** Fails if any of its tabs had a fault. */
  async close(): Promise<void> {
    this.resume();
    await (await this.#browser)?.close();
    expect(this.#tabs.flatMap(({ faults }) => faults)).toEqual([]);
  }

  /**
   * Stops every process of the browser where it is: what a laptop does that sleeps. Until `resume` nothing can be asked
   * of it.
   */
  async stop(): Promise<void> {
    for (const pid of await this.#listPids()) {
      if (sendSignal(pid, "SIGSTOP")) this.#stoppedPids.add(pid);
    }
  }

  /** Lets go on what was stopped. */
  resume(): void {
    for (const pid of this.#stoppedPids) sendSignal(pid, "SIGCONT");
    this.#stoppedPids.clear();
  }

  #started(): Promise<Browser> {
    if (this.#browser === undefined) throw new Error("the browser was not started");
    return this.#browser;
  }

  async #listPids(): Promise<readonly number[]> {
    const session = await (await this.#started()).newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    return processInfo.map(({ id }) => id);
  }

  /** Another viewer: own cookies, own worker. */
  async openContext(options: ContextOptions = {}): Promise<BrowserContext> {
    const context = await (await this.#started()).newContext(options);
    context.setDefaultTimeout(30_000);
    return context;
  }

  /** A tab of the context at a whole address. */
  async openTab(context: BrowserContext, url: string): Promise<WatchedPage> {
    const page = await context.newPage();
    const faults: string[] = [];
    this.#tabs.push({ page, faults });
    page.on("pageerror", (error) => void faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !isNetworkLine(message.text())) faults.push(message.text());
    });
    await page.goto(url);
    return { page, faults };
  }
}

/** False where the process has ended: a browser begins and ends processes as it likes. */
function sendSignal(pid: number, signal: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, signal);
  } catch (reason) {
    if (systemCodeOf(reason) === "ESRCH") return false;
    throw reason;
  }
}

/** The browser writes a line of its own for each request that fails; losing the hub is what several tests are about. */
function isNetworkLine(text: string): boolean {
  return text.startsWith("Failed to load resource");
}

/** The tile or line of a cluster. */
export function tileOf(page: Page, cluster: string): Locator {
  return page.locator(`[data-cluster="${cluster}"]`);
}

/** Until the page shows the cluster in this state. */
export async function untilTile(page: Page, cluster: string, state: string): Promise<void> {
  await eventually(async () => expect(await tileOf(page, cluster).getAttribute("data-state")).toBe(state));
}

/** Until the page shows so many clusters, each of them live. */
export async function untilAllLive(page: Page, clusterCount: number): Promise<void> {
  const states = `[...document.querySelectorAll("[data-cluster]")].map(({ dataset }) => dataset.state)`;
  const live = Array.from({ length: clusterCount }, () => "live");
  await eventually(async () => expect(await page.evaluate(states)).toEqual(live));
}

/** The notices of incidents that are on the page. */
export function noticesOf(page: Page): Locator {
  return page.locator("[data-incident]");
}

/** Until there is one notice, and it says this. */
export async function untilNotice(page: Page, text: RegExp): Promise<void> {
  await eventually(async () => {
    expect(await noticesOf(page).count()).toBe(1);
    expect(await noticesOf(page).innerText()).toMatch(text);
  });
}

/** Until the page has no notice. */
export async function untilNoNotice(page: Page): Promise<void> {
  await eventually(async () => expect(await noticesOf(page).count()).toBe(0));
}

/** Puts a mark on the document that a reload would take away. */
export async function markPage(page: Page): Promise<void> {
  await page.evaluate("globalThis.isSamePage = true");
}

/** Whether it is still the document that was marked. */
export async function isSamePage(page: Page): Promise<boolean> {
  return (await page.evaluate("globalThis.isSamePage === true")) === true;
}

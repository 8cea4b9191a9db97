// SPDX-License-Identifier: Apache-2.0
// A browser and what a test looks at in it, whatever hub it looks at.
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { eventually } from "../fleet/eventually.ts";

/** Failures of scripts and refusals of the policy in a page: none is ever expected. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
}

/** Several processes and a browser, each begun on a machine that is busy. For the hooks that do. */
export const startLimitMs = 120_000;

/** Start it, close it; its contexts are closed with it. */
export class PageBrowser {
  #browser: Browser | undefined;
  #pids: readonly number[] = [];

  async start(): Promise<void> {
    this.#browser = await openBrowser();
  }

  async close(): Promise<void> {
    await this.send("SIGCONT");
    await this.#browser?.close();
  }

  /** Stops every process of the browser where it is, or lets all go on: what a laptop does that sleeps. While it is stopped nothing can be asked of it. */
  async send(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
    if (signal === "SIGSTOP") this.#pids = await this.#listPids();
    for (const pid of this.#pids) process.kill(pid, signal);
  }

  async #listPids(): Promise<readonly number[]> {
    if (this.#browser === undefined) throw new Error("the browser was not started");
    const session = await this.#browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    return processInfo.map(({ id }) => id);
  }

  /** Another viewer: own cookies, own worker. */
  async openContext(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    if (this.#browser === undefined) throw new Error("the browser was not started");
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(30_000);
    return context;
  }

  /** A tab of the context at a whole address. */
  async openTab(context: BrowserContext, url: string): Promise<WatchedPage> {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => void faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !isNetworkLine(message.text())) faults.push(message.text());
    });
    await page.goto(url);
    return { page, faults };
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

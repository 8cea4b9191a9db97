// SPDX-License-Identifier: Apache-2.0
// A fleet and a browser that looks at it: what a person on call has before them.
import { type Browser, type BrowserContext, type Locator, type Page } from "playwright-core";
import { expect } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { eventually } from "../fleet/eventually.ts";
import { PlaygroundUp } from "../fleet/playground-up.ts";

/** Failures of scripts and refusals of the policy in a page: none is ever expected. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
}

/** Start it, close it; its contexts are closed with it. */
export class FleetBrowser {
  readonly fleet: PlaygroundUp;
  #browser: Browser | undefined;

  constructor(clusterCount: number, variables: Readonly<Record<string, string>> = {}) {
    this.fleet = new PlaygroundUp(clusterCount, variables);
  }

  async start(): Promise<void> {
    const [browser] = await Promise.all([openBrowser(), this.fleet.start()]);
    this.#browser = browser;
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    expect(await this.fleet.close()).toBe(0);
  }

  /** Another viewer: own cookies, own worker. */
  async openContext(options: Parameters<Browser["newContext"]>[0] = {}): Promise<BrowserContext> {
    if (this.#browser === undefined) throw new Error("the browser was not started");
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(30_000);
    return context;
  }

  /** A login link as `flotilla login-link` prints it. */
  async loginLink(...flags: readonly string[]): Promise<string> {
    const { link } = (await this.fleet.json("login-link", ...flags)) as { readonly link: string };
    return link;
  }

  /** A tab of the context at an address below /ui. */
  async openTab(context: BrowserContext, address: string): Promise<WatchedPage> {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => void faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !isNetworkLine(message.text())) faults.push(message.text());
    });
    await page.goto(address.startsWith("http") ? address : `${this.fleet.httpUrl}${address}`);
    return { page, faults };
  }

  /** A viewer who has just followed a login link and sees the fleet. */
  async logIn(context: BrowserContext, ...flags: readonly string[]): Promise<WatchedPage> {
    return this.openTab(context, await this.loginLink(...flags));
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

// SPDX-License-Identifier: Apache-2.0
// A fleet and a browser that looks at it: what a person on call has before them.
import type { BrowserContext } from "playwright-core";
import { expect } from "vitest";
import { PlaygroundUp } from "../fleet/playground-up.ts";
import { type ContextOptions, PageBrowser, type WatchedPage } from "./page-browser.ts";

/** Start it, close it; its contexts are closed with it. */
export class FleetBrowser {
  readonly fleet: PlaygroundUp;
  readonly browser = new PageBrowser();

  constructor(clusterCount: number, variables: Readonly<Record<string, string>> = {}) {
    this.fleet = new PlaygroundUp(clusterCount, variables);
  }

  async start(): Promise<void> {
    await Promise.all([this.browser.start(), this.fleet.start()]);
  }

  async close(): Promise<void> {
    try {
      await this.browser.close();
    } finally {
      expect(await this.fleet.close()).toBe(0);
    }
  }

  /** Another viewer: own cookies, own worker. */
  openContext(options: ContextOptions = {}): Promise<BrowserContext> {
    return this.browser.openContext(options);
  }

  /** A login link as `flotilla login-link` prints it. */
  async loginLink(...flags: readonly string[]): Promise<string> {
    const { link } = (await this.fleet.json("login-link", ...flags)) as { readonly link: string };
    return link;
  }

  /** A tab of the context at an address below /ui. */
  openTab(context: BrowserContext, address: string): Promise<WatchedPage> {
    const url = address.startsWith("http") ? address : `${this.fleet.httpUrl}${address}`;
    return this.browser.openTab(context, url);
  }

  /** A viewer who has just followed a login link and sees the fleet. */
  async logIn(context: BrowserContext, ...flags: readonly string[]): Promise<WatchedPage> {
    return this.openTab(context, await this.loginLink(...flags));
  }
}

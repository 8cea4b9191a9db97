// SPDX-License-Identifier: Apache-2.0
// What most tests of the page begin with: a fleet that is live, and an admin who looks at it.
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { FleetBrowser } from "./fleet-browser.ts";
import { type ContextOptions, startLimitMs, untilAllLive, type WatchedPage } from "./page-browser.ts";

/** What differs between those who look. */
export interface FleetPageOptions {
  readonly context?: ContextOptions;
  /** Done to the context before it has a tab. */
  readonly prepare?: (context: BrowserContext) => Promise<void>;
}

/** There from the first test on. */
export interface FleetPage {
  readonly world: FleetBrowser;
  /** Of the viewer who looks. */
  readonly context: BrowserContext;
  readonly page: Page;
}

/**
 * For the tests of the block that calls it: so many playground clusters, and the page of an admin on which every one of
 * them is live. At the end of the block all is closed, and no tab may have had a fault.
 */
export function openFleetPage(clusterCount: number, { context: options, prepare }: FleetPageOptions = {}): FleetPage {
  const world = new FleetBrowser(clusterCount);
  let tab: WatchedPage | undefined;

  beforeAll(async () => {
    await world.start();
    const context = await world.openContext(options);
    await prepare?.(context);
    tab = await world.logIn(context);
    await untilAllLive(tab.page, clusterCount);
  }, startLimitMs);

  afterAll(() => world.close());

  const getPage = (): Page => {
    if (tab === undefined) throw new Error("there is no page before the first test");
    return tab.page;
  };
  return {
    world,
    get context() {
      return getPage().context();
    },
    get page() {
      return getPage();
    },
  };
}

// SPDX-License-Identifier: Apache-2.0
// A hub without clusters, as a process, and a browser that looks at it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { expect } from "vitest";
import { openTempFolder } from "../../support/temp-folder.ts";
import { BackgroundProgram, flotilla } from "../fleet/background-program.ts";
import { type HubAddress, HubView } from "../fleet/hub-view.ts";
import { type ContextOptions, PageBrowser, type WatchedPage } from "./page-browser.ts";

/** Start it, close it. */
export class HubBrowser {
  readonly #folder = openTempFolder();
  readonly #browser = new PageBrowser();
  #program: BackgroundProgram | undefined;
  #address: HubAddress | undefined;
  #view: HubView | undefined;

  /** For files of the test; it goes with the hub. */
  get folder(): string {
    return this.#folder.path;
  }

  get address(): HubAddress {
    if (this.#address === undefined) throw new Error("the hub was not started");
    return this.#address;
  }

  get hub(): HubView {
    if (this.#view === undefined) throw new Error("the hub was not started");
    return this.#view;
  }

  async start(...flags: readonly string[]): Promise<void> {
    const port = flags.includes("--port") ? [] : ["--port", "0"];
    const args = ["hub", ...port, "--http-port", "0", "--log-format", "json", ...flags];
    this.#program = new BackgroundProgram({ cwd: this.folder, args });
    await Promise.all([this.#browser.start(), this.#program.untilSays("ready")]);
    this.#address = JSON.parse(readFileSync(join(this.folder, ".flotilla", "run.json"), "utf8")) as HubAddress;
    this.#view = new HubView(this.#address);
  }

  async close(): Promise<void> {
    try {
      await this.#browser.close();
    } finally {
      this.#view?.close();
      const code = await this.#program?.end();
      this.#folder[Symbol.dispose]();
      expect(code).toBe(0);
    }
  }

  openContext(options: ContextOptions = {}): Promise<BrowserContext> {
    return this.#browser.openContext(options);
  }

  /** A viewer who has just followed a login link. */
  async logIn(context: BrowserContext, ...flags: readonly string[]): Promise<WatchedPage> {
    const { code, stdout, stderr } = await flotilla(this.folder, ["login-link", ...flags, "-o", "json"]);
    expect(code, stderr).toBe(0);
    const { link } = JSON.parse(stdout) as { readonly link: string };
    return this.#browser.openTab(context, link);
  }
}

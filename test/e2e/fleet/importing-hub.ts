// SPDX-License-Identifier: Apache-2.0
// A hub of its own, as a process, that reaches clusters by kubeconfig, and ways to look at it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openTempFolder } from "../../support/temp-folder.ts";
import type { ProgramResult } from "../run-program.ts";
import { BackgroundProgram, flotilla, quickPaces } from "./background-program.ts";
import { type HubAddress, HubView } from "./hub-view.ts";

/** A hub without playground clusters. `start` it with a verb that serves; `close` ends everything. */
export class ImportingHub {
  readonly #folder = openTempFolder();
  #program: BackgroundProgram | undefined;
  #view: HubView | undefined;

  get program(): BackgroundProgram {
    if (this.#program === undefined) throw new Error("the hub was not started");
    return this.#program;
  }

  get view(): HubView {
    if (this.#view === undefined) throw new Error("the hub was not started");
    return this.#view;
  }

  /** Starts it, also again on the same data directory, and waits until it says ready. */
  async start(...args: readonly string[]): Promise<void> {
    const flags = ["--port", "0", "--http-port", "0", "--heartbeat-interval", "1s", "--log-format", "json"];
    this.#program = new BackgroundProgram({ cwd: this.#folder.path, args: [...args, ...flags], variables: quickPaces });
    await this.#program.untilSays("ready");
    this.#view?.close();
    this.#view = new HubView(this.runFile());
  }

  /** What it left for others to find it by. */
  runFile(): HubAddress {
    return JSON.parse(readFileSync(join(this.#folder.path, ".flotilla", "run.json"), "utf8")) as HubAddress;
  }

  /** Ends it in good order, and keeps its files. The exit code. */
  async stop(): Promise<number | null> {
    return this.program.end();
  }

  run(...args: readonly string[]): Promise<ProgramResult> {
    return flotilla(this.#folder.path, args);
  }

  /** The files below its data directory that hold the text. */
  filesWith(text: string): readonly string[] {
    const folder = join(this.#folder.path, ".flotilla");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path).includes(text));
  }

  /** The process ids of the agents of a cluster. */
  agentPids(cluster: string): readonly number[] {
    return this.program.agentPids(cluster);
  }

  async close(): Promise<number | null> {
    this.#view?.close();
    const code = await this.program.end();
    this.#folder[Symbol.dispose]();
    return code;
  }
}

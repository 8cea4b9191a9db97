// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpuMsOf } from "../apiserver/process-figures.ts";
import type { HubNews, HubOrder, HubPlan } from "./hub-messages.ts";
import { nextNews } from "./next-news.ts";

type Ready = Extract<HubNews, { kind: "ready" }>;

/** A hub with its page and a fleet, in a process of its own. Close it. */
export class PageHub implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly place: Ready;

  private constructor(child: ChildProcess, place: Ready) {
    this.#child = child;
    this.place = place;
  }

  /** Starts it and waits until all its clusters are live. */
  static async start(plan: HubPlan): Promise<PageHub> {
    const flags = (process.env["BENCH_HUB_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");
    const child = fork(new URL("./hub-process.ts", import.meta.url), [JSON.stringify(plan)], { execArgv: flags });
    return new PageHub(child, await nextNews<HubNews, "ready">(child, "ready"));
  }

  get cpuMs(): number {
    return cpuMsOf(this.#child.pid ?? 0);
  }

  /** A login link, good once. */
  async createLink(): Promise<string> {
    return (await this.#ask({ kind: "link" }, "link")).link;
  }

  /** Has it make so many changes a second from now on. Answers how many were made until now. */
  async setRate(perSecond: number): Promise<number> {
    return (await this.#ask({ kind: "change", perSecond }, "changed")).count;
  }

  /** The sum of a counter or gauge over all its labels. */
  async metric(name: string): Promise<number> {
    const { plainUrl, tokens } = this.place;
    const answer = await fetch(`${plainUrl}/metrics`, { headers: { authorization: `Bearer ${tokens[0] ?? ""}` } });
    if (!answer.ok) throw new Error(`the hub's metrics cannot be read: ${answer.status}`);
    const lines = (await answer.text()).split("\n").filter((line) => /^[a-z]/.test(line) && line.startsWith(name));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }

  #ask<K extends HubNews["kind"]>(order: HubOrder, kind: K): Promise<Extract<HubNews, { kind: K }>> {
    const answer = nextNews<HubNews, K>(this.#child, kind);
    this.#child.send(order);
    return answer;
  }
}

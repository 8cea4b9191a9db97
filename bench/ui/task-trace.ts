// SPDX-License-Identifier: Apache-2.0
// The tasks of a page's main thread as the browser itself records them, with their processor time. The page's own
// observer has only wall time, which other programs of the machine add to.
import type { Browser, Page } from "playwright-core";

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor; missing on events that are no tasks. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest tasks of a piece of work. */
export interface TracedTasks {
  /** Milliseconds of the processor that the longest task took. */
  readonly longestCpuMs: number;
  readonly taskCount: number;
}

/** Does the work while the browser records. One at a time in a browser. */
export async function traceTasks(browser: Browser, page: Page, work: () => Promise<void>): Promise<TracedTasks> {
  await browser.startTracing(page, { categories: ["toplevel"] });
  await work();
  const recorded = JSON.parse((await browser.stopTracing()).toString("utf8")) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const events = recorded.traceEvents;
  const isMainName = ({ name, args }: TraceEvent): boolean => name === "thread_name" && args?.name === "CrRendererMain";
  const mainThreads = new Set(events.filter(isMainName).map(threadOf));
  const tasks = events.filter((event) => event.tdur !== undefined && mainThreads.has(threadOf(event)));
  if (tasks.length === 0) throw new Error("the browser recorded no task of the page");
  const longestCpuMs = tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur), 0) / 1_000;
  return { longestCpuMs, taskCount: tasks.length };
}

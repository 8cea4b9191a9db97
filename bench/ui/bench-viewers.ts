// SPDX-License-Identifier: Apache-2.0
// What open pages cost the hub, held against the way of consoles that poll: the same fleet, the same changes, the same
// number of viewers.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { untilTrue } from "../support/bench-hub.ts";
import { reportPromise } from "../support/promise.ts";
import { nextNews } from "./next-news.ts";
import type { PageHub } from "./page-hub.ts";
import { pollMs, type ViewerNews, type ViewerOrder, type ViewerPlan } from "./viewer-messages.ts";

/** Long enough that two sweeps of all clusters, and two polls of each viewer, are in it. */
const windowMs = 10_000;

const manyCount = 200;
const streamsName = "flotilla_page_streams";
const encodedBytesName = "flotilla_page_encoded_bytes_total";

/** What the hub spent, and what the viewers got, in a second. */
interface Cost {
  readonly cpuMs: number;
  readonly encodedBytes: number;
  readonly bytes: number;
  readonly messageCount: number;
}

/** Nobody, one and 200 viewers of one view, then 200 that poll, while so many changes a second are made. */
export async function benchViewers(hub: PageHub, changesPerSecond: number): Promise<void> {
  await hub.setRate(changesPerSecond);
  await measure(hub, undefined); // counts for nothing: what runs often is compiled in it
  const nobody = await measure(hub, undefined);
  const one = await withViewers(hub, "stream", 1);
  const many = await withViewers(hub, "stream", manyCount);
  const polling = await withViewers(hub, "poll", manyCount);
  await hub.setRate(0);
  const at = `at ${changesPerSecond} changes/s`;
  const kbOf = ({ bytes }: Cost, count: number): number => bytes / count / 1_000;
  const cpuOf = (cost: Cost, count: number): number => (cost.cpuMs - nobody.cpuMs) / count;
  const report = (what: string, ours: number, unit: string, more = {}): void =>
    reportPromise({ bench: "ui", what: `${what}, ${at}`, ours, unit, more });
  report("hub CPU of 1 viewer", cpuOf(one, 1), "ms/s", { withoutViewersMs: nobody.cpuMs });
  report(`hub CPU of each of ${manyCount} viewers`, cpuOf(many, manyCount), "ms/s", { allMs: many.cpuMs });
  report("bytes to 1 viewer", kbOf(one, 1), "kB/s", { messagesPerSecond: one.messageCount });
  const each = many.messageCount / manyCount;
  report(`bytes to each of ${manyCount} viewers`, kbOf(many, manyCount), "kB/s", { messagesPerSecond: each });
  // Viewers who are late by different numbers of steps need different updates, each encoded once; encoding for each
  // viewer would be a factor of 200.
  const goal = { kind: "atMost", value: 2 * one.encodedBytes } as const;
  const encoded = { what: `encoded with ${manyCount} viewers, of what it is with 1, ${at}`, unit: "bytes/s" };
  reportPromise({
    bench: "ui",
    ...encoded,
    ours: many.encodedBytes,
    against: goal,
    more: { withOne: one.encodedBytes, deliveredBytes: many.bytes },
  });
  const name = `JSON of ${manyCount} pollers every ${pollMs / 1_000} s`;
  const against = (value: number): { kind: "peer"; name: string; value: number } => ({ kind: "peer", name, value });
  const cpu = { what: `hub CPU of ${manyCount} viewers, ${at}`, ours: cpuOf(many, 1), unit: "ms/s" };
  reportPromise({ bench: "ui", ...cpu, against: against(cpuOf(polling, 1)) });
  const bytes = { what: `bytes to ${manyCount} viewers, ${at}`, ours: kbOf(many, 1), unit: "kB/s" };
  reportPromise({ bench: "ui", ...bytes, against: against(kbOf(polling, 1)) });
}

async function withViewers(hub: PageHub, way: ViewerPlan["way"], viewerCount: number): Promise<Cost> {
  const { tlsUrl: url, ca, tokens } = hub.place;
  const plan: ViewerPlan = { url, ca, tokens, viewerCount, way };
  const viewers = fork(new URL("./viewer-process.ts", import.meta.url), [JSON.stringify(plan)], { execArgv: [] });
  try {
    await nextNews<ViewerNews, "ready">(viewers, "ready");
    return await measure(hub, viewers);
  } finally {
    const ended = once(viewers, "exit");
    if (viewers.connected) viewers.disconnect();
    await ended;
    await untilTrue("the end of all streams", async () => (await hub.metric(streamsName)) === 0, 30_000);
  }
}

async function measure(hub: PageHub, viewers: ChildProcess | undefined): Promise<Cost> {
  const read = async (): Promise<Cost & { readonly atMs: number }> => {
    const encodedBytes = await hub.metric(encodedBytesName);
    const counts = viewers === undefined ? { messageCount: 0, bytes: 0 } : await askCounts(viewers);
    return { ...counts, encodedBytes, cpuMs: hub.cpuMs, atMs: performance.now() };
  };
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  const after = await read();
  const seconds = (after.atMs - before.atMs) / 1_000;
  return {
    cpuMs: (after.cpuMs - before.cpuMs) / seconds,
    encodedBytes: (after.encodedBytes - before.encodedBytes) / seconds,
    bytes: (after.bytes - before.bytes) / seconds,
    messageCount: (after.messageCount - before.messageCount) / seconds,
  };
}

function askCounts(viewers: ChildProcess): Promise<Extract<ViewerNews, { kind: "counts" }>> {
  const answer = nextNews<ViewerNews, "counts">(viewers, "counts");
  viewers.send({ kind: "count" } satisfies ViewerOrder);
  return answer;
}

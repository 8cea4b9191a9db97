// SPDX-License-Identifier: Apache-2.0

import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createStore } from "../../src/store/create-store.ts";
import { type Change, put, type Store } from "../../src/store/store.ts";
import type { StoreEngine } from "../../src/store/store-engine.ts";
import { tokens } from "../../src/store/tables.ts";
import { MemoryEngine } from "../../src/store/testing/memory-engine.ts";
import { report } from "./report.ts";

const watchCount = 100;
const changeCount = 10_000;

/** Follows the tokens and keeps every change it is told of. */
async function follow(store: Store, signal: AbortSignal, seen: Set<Change>): Promise<number> {
  let count = 0;
  for await (const { changes } of store.watch(tokens, { from: store.cursor(), signal })) {
    for (const change of changes) seen.add(change);
    count += changes.length;
    if (count === changeCount) return count;
  }
  return count;
}

/**
 * Each change to a hundred watches, over the engine in memory, so that deliveries and not the disk are measured. A
 * change is encoded by the commit that makes it; that all watches get one and the same object shows that it is decoded
 * once at the most.
 */
export async function benchManyWatches(): Promise<void> {
  const engine: StoreEngine = new MemoryEngine({ clock: systemClock, storeId: "st_bench" });
  const store = await createStore(createInThreadPort(engine), { clock: systemClock });
  const stop = new AbortController();
  const seen = new Set<Change>();
  const watches = Array.from({ length: watchCount }, () => follow(store, stop.signal, seen));
  const value = {
    user_name: "anna",
    group_names: "[]",
    description: "x".repeat(1200),
    created_at_ms: 0,
    parent_id: null,
  };
  const startMs = performance.now();
  for (let serial = 0; serial < changeCount; serial += 1) {
    const secret_hash = new TextEncoder().encode(`hash ${serial}`);
    await store.commit([put(tokens, ["root", `t${serial % 1000}`], { ...value, secret_hash, expires_at_ms: serial })]);
  }
  const delivered = (await Promise.all(watches)).reduce((sum, count) => sum + count, 0);
  const seconds = (performance.now() - startMs) / 1000;
  stop.abort(new Error("done"));
  await store.close();
  report(`each change to ${watchCount} watches`, {
    deliveriesPerSecond: delivered / seconds,
    deliveries: delivered,
    decodedPerChange: seen.size / changeCount,
  });
}

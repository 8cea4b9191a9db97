// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { LeaseOutcome } from "../../../src/store/store.ts";
import { listTexts, putObject } from "../../support/store-rows.ts";
import type { OpenStore, StoreUnderTest } from "../../support/store-under-test.ts";

/** Leases and fencing: ST25, ST26. */
export function describeLeases(open: OpenStore): void {
  test("[ST25] a lease has one holder: others get its name until it is released", async () => {
    await using under = await open();
    const { leases } = under.store;
    expect(await leases.acquire("leader", "hub-1", 60_000)).toEqual({ kind: "held", epoch: 1n, expiresInMs: 60_000 });
    expect(await leases.acquire("leader", "hub-2", 60_000)).toMatchObject({ kind: "taken", holder: "hub-1" });
    expect(await leases.acquire("other", "hub-2", 60_000)).toMatchObject({ kind: "held", epoch: 1n });
    expect(await leases.release("leader", "hub-2")).toBe(false);
    expect(await leases.release("leader", "hub-1")).toBe(true);
    expect(await leases.acquire("leader", "hub-2", 60_000)).toMatchObject({ kind: "held", epoch: 2n });
    expect(await leases.release("leader", "hub-1")).toBe(false);
  });

  test("[ST25] the same holder renews without a new epoch; after a release even it gets a new one", async () => {
    await using under = await open();
    const { leases } = under.store;
    await leases.acquire("leader", "hub-1", 60_000);
    expect(await leases.acquire("leader", "hub-1", 90_000)).toEqual({ kind: "held", epoch: 1n, expiresInMs: 90_000 });
    await leases.release("leader", "hub-1");
    expect(await leases.acquire("leader", "hub-1", 60_000)).toMatchObject({ epoch: 2n });
  });

  test("[ST25] [CO61] an expired lease, by the clock of the store, goes to the next holder under a higher epoch", async () => {
    await using under = await open();
    const { leases } = under.store;
    await leases.acquire("leader", "hub-1", 50);
    expect(await acquireOnceFree(under, "hub-2")).toMatchObject({ kind: "held", epoch: 2n });
    expect(await leases.acquire("leader", "hub-1", 50)).toMatchObject({ kind: "taken", holder: "hub-2" });
  });

  test("[ST26] a commit under the lease's epoch is written, one under an older epoch is fenced and leaves no trace", async () => {
    await using under = await open();
    const { store } = under;
    await store.leases.acquire("leader", "hub-1", 60_000);
    const fence = { lease: "leader", epoch: 1n };
    expect(await store.commit([putObject("a", "1")], { fence })).toMatchObject({ kind: "committed" });
    await store.leases.release("leader", "hub-1");
    await store.leases.acquire("leader", "hub-2", 60_000);
    expect(await store.commit([putObject("a", "2")], { fence })).toEqual({ kind: "fenced", epoch: 2n });
    expect(await store.commit([putObject("b", "1")], { fence: { lease: "never-taken", epoch: 1n } })).toEqual({
      kind: "fenced",
      epoch: 0n,
    });
    expect(await listTexts(store)).toEqual(["a=1"]);
    expect(store.revision).toBe(1n);
  });

  test("[ST26] a fenced commit harms no other of its group", async () => {
    await using under = await open();
    const { store } = under;
    const outcomes = await Promise.all([
      store.commit([putObject("a", "1")]),
      store.commit([putObject("b", "1")], { fence: { lease: "leader", epoch: 1n } }),
      store.commit([putObject("c", "1")]),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["committed", "fenced", "committed"]);
    expect(await listTexts(store)).toEqual(["a=1", "c=1"]);
  });
}

/** Asks again, as time passes, until the lease is free. */
async function acquireOnceFree({ store, clock }: StoreUnderTest, holder: string): Promise<LeaseOutcome> {
  for (;;) {
    const outcome = await store.leases.acquire("leader", holder, 60_000);
    if (outcome.kind === "held") return outcome;
    expect(outcome.expiresInMs).toBeGreaterThan(0);
    expect(outcome.expiresInMs).toBeLessThanOrEqual(50);
    await clock.advance(10);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Two stores over one engine, as two hub replicas over one database: neither is notified of the other's writes.
import { describe, expect, test } from "vitest";
import { commit, objectKey, putObject, revision, textOf } from "../../test/support/store-rows.ts";
import { openWatch, readTo, until, watchTo } from "../../test/support/store-watching.ts";
import { createInThreadPort } from "../base/in-thread-port.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { createStore } from "./create-store.ts";
import type { Store } from "./store.ts";
import type { StoreEngine, StorePort } from "./store-engine.ts";
import { objects } from "./tables.ts";
import { MemoryEngine } from "./testing/memory-engine.ts";

interface Replicas {
  readonly one: Store;
  readonly two: Store;
  readonly clock: ManualClock;
}

async function openReplicas(tailBytes = 8 * 1024 * 1024): Promise<Replicas> {
  const clock = new ManualClock();
  const engine: StoreEngine = new MemoryEngine({ clock, storeId: "st_shared" });
  const open = (port: StorePort): Promise<Store> => createStore(port, { clock, tailBytes });
  return { one: await open(createInThreadPort(engine)), two: await open(createInThreadPort(engine)), clock };
}

describe("two replicas over one database", () => {
  test("[ST10] [U-49] what was written at one is read at the other with the returned revision", async () => {
    const { one, two } = await openReplicas();
    const { revision: written } = await commit(one, putObject("a", "1"));
    expect(two.revision).toBe(0n);
    expect(textOf((await two.get(objects, objectKey("a"), { atLeast: written }))?.value)).toBe("1");
    expect(two.revision).toBe(written);
    await commit(one, putObject("a", "2"));
    expect((await two.list(objects, { asOf: revision(2) })).rows).toHaveLength(1);
    await expect(two.list(objects, { atLeast: revision(3) })).rejects.toMatchObject({ code: "REVISION_AHEAD" });
  });

  test("[ST13] [L1] a watch at one gets the other's changes before its own later ones, each once", async () => {
    const { one, two, clock } = await openReplicas();
    await using reader = openWatch(two, objects);
    const first = reader.next();
    await until(() => clock.timerCount === 1);
    for (const name of ["a", "b", "c"]) await commit(one, putObject(name, "by one"));
    await commit(two, putObject("d", "by two"));
    const batch = await first;
    expect(batch?.changes.map(({ key }) => key[3])).toEqual(["a", "b", "c", "d"]);
    expect(batch?.revision).toBe(4n);
  });

  test.each([1, 1000, 8 * 1024 * 1024])(
    "[ST3] [ST13] both write at full speed: watches at either see one gapless line (tail of %i bytes)",
    async (tailBytes) => {
      const { one, two, clock } = await openReplicas(tailBytes);
      const readers = [openWatch(one, objects), openWatch(two, objects)];
      const pending = readers.map((reader) => readTo(reader, clock, revision(400)));
      const writes = Array.from({ length: 200 }, async (_, index) => {
        await commit(one, putObject(`one-${index}`, "1"));
        await commit(two, putObject(`two-${index}`, "1"));
      });
      await Promise.all(writes);
      // A replica learns of the other's last writes when it is asked for them, or at its own next write.
      await Promise.all([one.list(objects, { atLeast: revision(400) }), two.list(objects, { atLeast: revision(400) })]);
      for (const { changes } of await Promise.all(pending)) {
        expect(changes.map(({ revision }) => revision)).toEqual(
          Array.from({ length: 400 }, (_, index) => BigInt(index + 1)),
        );
      }
      for (const reader of readers) await reader[Symbol.asyncDispose]();
    },
  );

  test("[ST17] a watch from before the other's compaction is GONE, though this replica did not compact", async () => {
    const { one, two, clock } = await openReplicas(1);
    for (let round = 0; round < 5; round += 1) await commit(one, putObject("a", `round ${round}`));
    await one.compact({ olderThanMs: -1, keepCount: 1 });
    await expect(watchTo({ store: two, clock }, objects, { from: revision(2), to: revision(5) })).rejects.toMatchObject(
      {
        code: "GONE",
      },
    );
    await expect(two.list(objects, { asOf: revision(2) })).rejects.toMatchObject({ code: "GONE" });
  });
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { EngineUnit, StoreEngine, StorePort } from "../../../src/store/store-engine.ts";
import { type DiskLatency, SimDisk, type SimDiskOptions } from "./disk.ts";
import { createFleetLogDisk, createStoreDisk } from "./disks.ts";
import { World } from "./world.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Round numbers, so that a test knows at which millisecond a write is in which step. */
const steady: DiskLatency = {
  read: { minMs: 1, maxMs: 1 },
  write: { minMs: 10, maxMs: 10 },
  fsync: { minMs: 100, maxMs: 100 },
};

function put(name: string, value: string): readonly EngineUnit[] {
  const key = ["root", "configmaps", "default", name].join("\u001f");
  return [{ writes: [{ table: "objects", key, body: encoder.encode(value), expect: "any" }] }];
}

type DiskOptions = Partial<Omit<SimDiskOptions<StoreEngine>, "world" | "name" | "openEngine" | "methods">>;

interface Bench {
  readonly world: World;
  readonly disk: SimDisk<StoreEngine>;
  /** Runs the world until the promise is settled. */
  await<T>(promise: Promise<T>): Promise<T>;
  open(): Promise<StorePort>;
  /** Names and values of all rows. */
  list(port: StorePort): Promise<string[]>;
}

function createBench(seed = 1, options: DiskOptions = {}): Bench {
  const world = new World(seed);
  const disk = createStoreDisk({ world, name: "hub", latency: steady, ...options });
  const awaited = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settled = promise.finally(() => {
      isSettled = true;
    });
    void settled.catch(() => undefined); // Thrown below.
    await world.runUntil("the call is answered", () => isSettled, 60_000);
    return settled;
  };
  return {
    world,
    disk,
    await: awaited,
    open: () => awaited(disk.open()),
    async list(port) {
      const page = await awaited(port.list({ table: "objects", prefix: "", limit: 100, bytesLimit: 1e6 }));
      return page.rows.map(
        ({ key, revision, body }) => `${key.split("\u001f").at(-1)}@${revision}=${decoder.decode(body)}`,
      );
    },
  };
}

test("[SI19] a write is answered after write and fsync, a read after its own time, one call after the other", async () => {
  const { world, open } = createBench();
  const port = await open();
  const startMs = world.clock.nowMs();
  const answered: string[] = [];
  const note = (name: string) => () => void answered.push(`${name}@${world.clock.nowMs() - startMs}`);
  void port.commit(put("a", "1")).then(note("first"));
  void port.get("objects", "none").then(note("read"));
  void port.commit(put("b", "1")).then(note("second"));
  await world.run(1_000);
  expect(answered).toEqual(["first@110", "read@111", "second@221"]);
});

test("[SI19, SI20] a crash of the machine keeps every answered write, whatever chance says about the rest", async () => {
  const endings = new Set<string>();
  for (let seed = 1; seed <= 12; seed += 1) {
    const { world, disk, open, list, await: awaited } = createBench(seed);
    const port = await open();
    await awaited(port.commit(put("a", "answered")));
    const unanswered = expect(port.commit(put("b", "unanswered"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await world.run(50);
    disk.crash("machine");
    await unanswered;
    endings.add(String(await list(await open())));
  }
  expect([...endings].sort()).toEqual(["a@1=answered", "a@1=answered,b@2=unanswered"]);
});

test("[SI20] a write that the disk has not taken yet is lost; one it has taken survives the crash of the process alone", async () => {
  const { world, disk, open, list } = createBench();
  const port = await open();
  const first = expect(port.commit(put("a", "in fsync"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const second = expect(port.commit(put("b", "in line"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await world.run(50);
  disk.crash("process");
  await Promise.all([first, second]);
  expect(await list(await open())).toEqual(["a@1=in fsync"]);
});

test("[SI20, SI23] a disk that answers before its fsync loses answered writes, always the newest, never one in the middle", async () => {
  const kept = new Set<number>();
  for (let seed = 1; seed <= 30; seed += 1) {
    const { disk, open, list, await: awaited } = createBench(seed, { answers: "beforeFsync" });
    const port = await open();
    for (const name of ["a", "b", "c", "d"]) await awaited(port.commit(put(name, "1")));
    disk.crash("machine");
    const rows = await list(await open());
    expect(rows).toEqual(["a@1=1", "b@2=1", "c@3=1", "d@4=1"].slice(0, rows.length));
    kept.add(rows.length);
  }
  expect(kept).toEqual(new Set([0, 1, 2, 3, 4]));
});

test("[SI20, SI23] even a lying disk keeps what an fsync has completed for", async () => {
  const { world, disk, open, list, await: awaited } = createBench(2, { answers: "beforeFsync" });
  const port = await open();
  await awaited(port.commit(put("a", "1")));
  await world.run(150);
  await awaited(port.commit(put("b", "1")));
  disk.crash("machine");
  expect((await list(await open()))[0]).toBe("a@1=1");
});

test("[SI21] an engine opened again has the same id, revision, change times, leases and compaction", async () => {
  const { world, disk, open, list, await: awaited } = createBench();
  const before = await open();
  for (const value of ["1", "2", "3"]) {
    await awaited(before.commit(put("a", value)));
    await world.run(1_000);
  }
  await awaited(before.acquireLease("leader", "hub-1", 60_000));
  await awaited(before.compact({ beforeMs: world.clock.wallMs() - 1_500, keepCount: 0, limit: 100 }));
  const state = await awaited(before.state());
  const rows = await list(before);
  await world.run(30_000);
  disk.crash("machine");

  const after = await open();
  expect(await awaited(after.state())).toEqual(state);
  expect(state).toMatchObject({ revision: 3, compactedRevision: 2 });
  expect(await list(after)).toEqual(rows);
  expect(await awaited(after.acquireLease("leader", "hub-2", 60_000))).toMatchObject({
    kind: "taken",
    holder: "hub-1",
  });
  await world.run(30_000);
  expect(await awaited(after.acquireLease("leader", "hub-2", 60_000))).toMatchObject({ kind: "held", epoch: 2 });
});

test("[SI21] a second crash after new writes keeps those too, and revisions go on where they were", async () => {
  const { disk, open, list, await: awaited } = createBench();
  await awaited((await open()).commit(put("a", "1")));
  disk.crash("machine");
  await awaited((await open()).commit(put("b", "1")));
  disk.crash("machine");
  expect(await list(await open())).toEqual(["a@1=1", "b@2=1"]);
});

test("[SI21] an engine that answers otherwise when its calls run again fails the world", async () => {
  const world = new World(1);
  let nextAnswer = 0;
  const openEngine = () => ({ add: () => (nextAnswer += 1), close: () => undefined });
  const disk = new SimDisk({ world, name: "odd", openEngine, methods: { add: "write" }, latency: steady });
  const opening = disk.open();
  await world.run(100);
  void (await opening).add();
  await world.run(1_000);
  expect(() => disk.crash("machine")).toThrow("add answered 2 when it ran again, and 1 before");
});

test("[SI22] a port from before a crash does nothing, and an open disk is refused to others", async () => {
  const { disk, open, list } = createBench();
  const before = await open();
  await expect(disk.open()).rejects.toMatchObject({ code: "STORE_IN_USE" });
  disk.crash("process");
  const after = await open();
  await expect(before.commit(put("a", "by a ghost"))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(await list(after)).toEqual([]);
});

test("[SI22] a disk closed in order can be opened again, with everything there", async () => {
  const { world, disk, open, list, await: awaited } = createBench();
  const first = await open();
  await awaited(first.commit(put("a", "1")));
  await awaited(first.close());
  await expect(first.state()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const second = await open();
  expect(await list(second)).toEqual(["a@1=1"]);
  expect(disk.calls.map(({ method }) => method)).toEqual(["commit"]);
  await awaited(second.close());
  await world.close();
});

test("[SI22] a crash while the disk opens refuses the opening, and the next one works", async () => {
  const { world, disk, open } = createBench();
  const opening = expect(disk.open()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await world.run(5);
  disk.crash("machine");
  await opening;
  await expect(open()).resolves.toBeDefined();
});

test("[SI7] a disk left open is reported", async () => {
  const { world, open } = createBench();
  await open();
  await expect(world.close()).rejects.toThrow("the disk hub, which is open");
});

test("[SI20, SI21] a fleet log lives on such a disk too: what was answered stays, and what an open tidies up stays tidied", async () => {
  const { world, await: awaited } = createBench();
  const disk = createFleetLogDisk({ world, name: "fleet", latency: steady });
  const flush = (seq: number) => ({
    cluster: "c1",
    shard: "",
    epoch: 1,
    incarnation: "i1",
    seq,
    parts: [{ resource: "pods", form: { kind: "delta" } as const, bytes: encoder.encode(`rows ${seq}`) }],
  });
  const before = await awaited(disk.open());
  await awaited(before.append(flush(1)));
  const checkpoint = await awaited(before.beginCheckpoint("c1", "pods", 1));
  await awaited(before.addCheckpointPiece(checkpoint, encoder.encode("half a checkpoint")));
  const lost = expect(before.append(flush(2))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await world.run(5);
  disk.crash("machine");
  await lost;
  for (let crash = 0; crash < 2; crash += 1) {
    const after = await awaited(disk.open());
    expect(await awaited(after.progress("c1", ""))).toMatchObject({ incarnation: "i1", seq: 1 });
    await expect(awaited(after.completeCheckpoint(checkpoint))).rejects.toBeInstanceOf(Error);
    disk.crash("machine");
  }
});

test("[SI24] [ST20] a copy put back takes away what was written since, durable or not, and is a store of its own", async () => {
  const { world, disk, open, list, await: awaited } = createBench();
  const before = await open();
  await awaited(before.commit(put("a", "1")));
  const { storeId } = await awaited(before.state());
  const copy = disk.backup();
  await awaited(before.commit(put("a", "2")));
  disk.crash("machine");
  disk.restore(copy);
  const after = await open();
  expect(await list(after)).toEqual(["a@1=1"]);
  const restored = await awaited(after.state());
  expect(restored.storeId).not.toBe(storeId);
  // It stays so through the next crash, which is rebuilt from the calls and from the restore among them.
  disk.crash("machine");
  const again = await open();
  expect([await list(again), (await awaited(again.state())).storeId]).toEqual([["a@1=1"], restored.storeId]);
  await awaited(again.close());
  await world.close();
});

// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { createInThreadPort } from "../../base/in-thread-port.ts";
import { type LogFields, silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import type { FleetLog, FleetLogEngine, LoadRequest } from "../../store/fleet-log/fleet-log.ts";
import { MemoryFleetLog } from "../../store/testing/memory-fleet-log.ts";
import { createFleetCounters } from "../fleet/fleet-counters.ts";
import { CountedMetrics } from "../fleet/testing/counted-metrics.ts";
import { hasher, plainCodec } from "../fleet/testing/test-fleet.ts";
import { encodeRows, makeRow } from "../fleet/testing/test-rows.ts";
import { createInThreadIndex, rowsIn } from "../index/testing/in-thread-index.ts";
import { FleetRows } from "../rows/fleet-rows.ts";
import { Restore } from "./fleet-restore.ts";
import { LogSizes } from "./log-sizes.ts";

const never = new AbortController().signal;

/** A log that answers a segment at a time, and notes what it is asked. */
class PagedLog {
  readonly asked: LoadRequest[] = [];
  readonly log: FleetLog;
  /** From this page on. */
  failsAtPage = Number.POSITIVE_INFINITY;
  /** This page alone. */
  failsOnceAtPage = 0;
  #seq = 0;

  constructor() {
    const log = createInThreadPort<FleetLogEngine>(new MemoryFleetLog({ clock: new ManualClock() }));
    this.log = new Proxy(log, {
      get: (target, name) => {
        if (name !== "load") return Reflect.get(target, name) as unknown;
        return async (request: LoadRequest) => {
          this.asked.push(request);
          if (this.asked.length >= this.failsAtPage || this.asked.length === this.failsOnceAtPage)
            throw new FlotillaError("UNAVAILABLE", "the disk reports an error");
          return target.load({ ...request, bytesLimit: 1 });
        };
      },
    });
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#seq += 1;
    const parts = [{ resource: "pods", form: { kind: "delta" }, bytes }] as const;
    await this.log.append({ cluster: "east", shard: "", epoch: 1, incarnation: "inc", seq: this.#seq, parts });
  }

  async appendPod(name: string, replicas: number): Promise<void> {
    await this.append(await plainCodec.compress(encodeRows("pods", [makeRow("east", "pods", { name, replicas })])));
  }
}

function openRestore({ log }: PagedLog) {
  const clock = new ManualClock();
  const index = createInThreadIndex({ codec: plainCodec, hasher, pause: () => clock.sleep(0) });
  const metrics = new CountedMetrics();
  const warnings: LogFields[] = [];
  const logger = { ...silentLogger, warn: (_message: string, fields: LogFields = {}) => void warnings.push(fields) };
  const counters = createFleetCounters(metrics);
  const fleetRows = new FleetRows(index, logger);
  const options = { fleetLog: log, fleetRows, sizes: new LogSizes(), log: logger, counters };
  const restore = new Restore({ ...options, clock, random: createSeededRandom("restore") });
  return { index, fleetRows, metrics, warnings, clock, restore };
}

describe("restore, page by page", () => {
  test("[FL6] every page is folded once, in order, the newest row of an object counts, and a bad segment harms only itself (L14)", async () => {
    const paged = new PagedLog();
    for (let replicas = 1; replicas <= 5; replicas += 1) {
      await paged.appendPod("a", replicas);
      await paged.appendPod(`b-${replicas}`, replicas);
      if (replicas === 3) await paged.append(Uint8Array.of(1, 2, 3));
    }
    const { index, fleetRows, restore } = openRestore(paged);
    await restore.run(never);
    const rows = rowsIn(index, "east", "pods");
    const shown = rows.map(({ name, columns }) => `${name} ${String(columns.get("replicas"))}`).sort();
    expect(shown).toEqual(["a 5", "b-1 1", "b-2 2", "b-3 3", "b-4 4", "b-5 5"]);
    expect(restore.progress).toMatchObject({ rowCount: 10, isDone: true });
    expect(fleetRows.applied("east")).toEqual({ incarnation: "inc", seq: 11 });
    expect(new Set(paged.asked.map(({ after }) => after?.position)).size).toBe(paged.asked.length);
  });

  test("[CO66] stored rows that a page could not show are dropped at a start, counted, said once, and harm no other row", async () => {
    const paged = new PagedLog();
    const good = makeRow("east", "pods", { name: "good" });
    const bad = { ...good, name: "bad", generation: -1 };
    const worse = { ...good, name: "worse", createdAt: 2 ** 53 - 1 };
    for (const rows of [[bad, good], [worse]]) await paged.append(await plainCodec.compress(encodeRows("pods", rows)));
    await paged.appendPod("later", 1);
    const { index, fleetRows, metrics, warnings, restore } = openRestore(paged);
    await restore.run(never);
    const names = rowsIn(index, "east", "pods")
      .map(({ name }) => name)
      .sort();
    expect(names).toEqual(["good", "later"]);
    expect(metrics.get("flotilla_restore_dropped_rows_total", "east", "pods")).toBe(2);
    expect(warnings).toEqual([
      {
        cluster: "east",
        resource: "pods",
        rowCount: 2,
        fault: expect.stringContaining('"default/bad" has a generation'),
      },
    ]);
    // Another digest than the agent's: it sends the rows again.
    expect(fleetRows.kindDigest("east", "pods").rowCount).toBe(2);
  });

  test("a log that fails on the way fails the load, and what was begun ahead is nobody's surprise", async () => {
    const paged = new PagedLog();
    for (let replicas = 1; replicas <= 5; replicas += 1) await paged.appendPod("a", replicas);
    paged.failsAtPage = 3;
    const { restore } = openRestore(paged);
    await expect(restore.run(never)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(restore.progress.isDone).toBe(false);
    const stopped = new AbortController();
    const aborted = openRestore(paged);
    paged.failsAtPage = paged.asked.length + 2;
    stopped.abort(new Error("the hub ends"));
    await expect(aborted.restore.run(stopped.signal)).rejects.toThrow("the hub ends");
  });

  test("[FL15] [FL17] a shared log that is away for a moment is asked again, and a cluster is loaded once and whole", async () => {
    const paged = new PagedLog();
    for (let replicas = 1; replicas <= 5; replicas += 1) await paged.appendPod(`a-${replicas}`, replicas);
    paged.failsOnceAtPage = 3;
    const { fleetRows, restore, clock } = openRestore(paged);
    const running = restore.run(never, await paged.log.headPosition());
    await settle();
    expect(restore.has("east")).toBe(false);
    expect(fleetRows.rowCount("east")).toBe(0);
    await clock.advance(1_000);
    await running;
    expect(fleetRows.rowCount("east")).toBe(5);
    expect(restore.progress).toEqual({ loadedCount: 1, totalCount: 1, rowCount: 5, isDone: true });
  });

  test("rows that were shown before a reload failed half-way are shown again after the next one", async () => {
    const paged = new PagedLog();
    for (let replicas = 1; replicas <= 3; replicas += 1) await paged.appendPod(`a-${replicas}`, replicas);
    const { fleetRows, restore } = openRestore(paged);
    await restore.run(never);
    fleetRows.setRbacComplete("east", true);
    paged.failsOnceAtPage = paged.asked.length + 2;
    await expect(restore.reload("east", never)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(fleetRows.isRbacComplete("east")).toBe(false);
    await restore.reload("east", never);
    expect(fleetRows.isRbacComplete("east")).toBe(true);
    expect(fleetRows.rowCount("east")).toBe(3);
  });
});

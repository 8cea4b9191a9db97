// SPDX-License-Identifier: Apache-2.0

import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { silentLogger } from "../../../base/log.ts";
import { ManualClock, settle } from "../../../base/testing/manual-clock.ts";
import { silentMetrics } from "../../../base/testing/silent-metrics.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import type { Hasher } from "../../../model/rows/hasher.ts";
import type { Row } from "../../../model/rows/row.ts";
import type { FlushFacts } from "../../../session/hub/parsed-request.ts";
import type { FleetLog, FleetLogEngine, Flush } from "../../../store/fleet-log/fleet-log.ts";
import { MemoryFleetLog } from "../../../store/testing/memory-fleet-log.ts";
import type { IndexPort } from "../../index/index-port.ts";
import { createInThreadIndex } from "../../index/testing/in-thread-index.ts";
import { Ingest } from "../../ingest/ingest.ts";
import { LogSizes } from "../../ingest/log-sizes.ts";
import { ChangeFeed } from "../../rows/change-feed.ts";
import { FleetRows } from "../../rows/fleet-rows.ts";
import { createFleetCounters } from "../fleet-counters.ts";
import { hasher, plainCodec } from "./test-fleet.ts";
import { encodeRows, makeRow } from "./test-rows.ts";

/** A flush of so many rows of each kind. */
export async function makeFlush(seq: number, counts: Readonly<Record<string, number>>): Promise<FlushFacts> {
  const parts = await Promise.all(
    Object.entries(counts).map(async ([resourceText, count]) => {
      const rows = Array.from({ length: count }, (_, at) =>
        makeRow("east", resourceText, { name: `one-${String(at).padStart(5, "0")}`, replicas: seq }),
      );
      const batch = await plainCodec.compress(encodeRows(resourceText, rows));
      return { resource: parseResourceId(resourceText), resourceText, replacedBucket: 0, batch };
    }),
  );
  return { seq, collectedMsAgo: 0, parts, sizeBytes: 0 };
}

/** A flush of these rows, whatever is wrong with them. */
export async function makeFlushOf(seq: number, resourceText: string, rows: readonly Row[]): Promise<FlushFacts> {
  const batch = await plainCodec.compress(encodeRows(resourceText, rows));
  const part = { resource: parseResourceId(resourceText), resourceText, replacedBucket: 0, batch };
  return { seq, collectedMsAgo: 0, parts: [part], sizeBytes: 0 };
}

/** Ingest over a log whose appends are answered when the test says so. */
export class IngestDesk {
  readonly clock = new ManualClock();
  readonly index: IndexPort;
  readonly fleetRows: FleetRows;
  readonly feed = new ChangeFeed("feed");
  readonly appended: Flush[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly ingest: Ingest;

  /** `decoding`: what checks the batches that come. */
  constructor(decoding: Hasher = hasher) {
    const log = createInThreadPort<FleetLogEngine>(new MemoryFleetLog({ clock: this.clock }));
    const fleetLog: FleetLog = new Proxy(log, {
      get: (target, name) => {
        if (name !== "append") return Reflect.get(target, name) as unknown;
        return async (flush: Flush) => {
          this.appended.push(flush);
          await new Promise<void>((resolve) => this.#waiting.push(resolve));
          return target.append(flush);
        };
      },
    });
    const { clock, feed } = this;
    this.index = createInThreadIndex({ codec: plainCodec, hasher: decoding, pause: () => clock.sleep(0) });
    this.fleetRows = new FleetRows(this.index, silentLogger);
    const { fleetRows } = this;
    const counters = createFleetCounters(silentMetrics);
    this.ingest = new Ingest({
      fleetLog,
      fleetRows,
      feed,
      counters,
      sizes: new LogSizes(),
    });
  }

  /** Takes a flush in the name of the cluster's first process. */
  take(cluster: string, flush: FlushFacts): ReturnType<Ingest["take"]> {
    const source = { cluster, shard: "", epoch: 1, incarnation: "inc" };
    return this.ingest.take(source, flush, new Set());
  }

  /** Answers all appends that wait, as one transaction does. */
  async answer(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve();
    await settle();
  }

  /** Rows that are visible, of pods and of services. */
  counts(cluster: string): readonly number[] {
    return ["pods", "services"].map((resource) => this.fleetRows.kindDigest(cluster, resource).rowCount);
  }
}

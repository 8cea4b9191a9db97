// SPDX-License-Identifier: Apache-2.0
// The judge of the fleet's world: hears everything that passes the hub's door and its log, and holds it against the clusters.
import { DigestLevel } from "../../../src/gen/flotilla/session/v1/session_pb.ts";
import type { FlushChanges } from "../../../src/hub/fleet/change-feed.ts";
import type { HubFleet } from "../../../src/hub/hub-fleet.ts";
import { parseClusterId } from "../../../src/model/cluster-id.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import { decodeRowBatch } from "../../../src/model/row-batch/decode.ts";
import type { AppendOutcome, FleetLog, FleetLogEngine, Flush } from "../../../src/store/fleet-log.ts";
import type { SimDisk } from "../../support/sim/disk.ts";
import type { World } from "../../support/sim/world.ts";
import type { SimCluster } from "./cluster.ts";
import { hasher } from "./keys.ts";
import type { Passage } from "./tap.ts";
import { heartbeatMs, honestMs } from "./timing.ts";

/** An acknowledgement that left the hub: from then on the flush is never lost (L3). */
interface Acknowledged {
  readonly cluster: string;
  readonly incarnation: string;
  readonly seq: number;
}

/** What passes in a quiet world. */
const quietKinds: ReadonlySet<string> = new Set(["heartbeat", "heartbeatAnswer"]);

/** Collects everything that is not as promised, one sentence each. */
export class Judge {
  readonly violations: string[] = [];
  /** Messages that are neither heartbeats nor their answers, as `up flush` or `down ack`, since the last call of `listen`. */
  heard: string[] = [];
  readonly #world: World;
  readonly #clusters: ReadonlyMap<string, SimCluster>;
  readonly #welcomedEpochs = new Map<string, number>();
  readonly #raisedEpochs = new Map<string, number>();
  readonly #currentSinceMs = new Map<string, number>();
  #acknowledged: Acknowledged[] = [];

  constructor(world: World, clusters: readonly SimCluster[]) {
    this.#world = world;
    this.#clusters = new Map(clusters.map((cluster) => [cluster.id, cluster]));
  }

  /** Forgets what was heard so far. */
  listen(): void {
    this.heard = [];
  }

  /** A message passes the hub's door. */
  take({ direction, kind, stream, up, down }: Passage): void {
    const { cluster, incarnation, epoch } = stream;
    if (!quietKinds.has(kind)) {
      const level = up?.case === "digests" ? ` of the ${up.value.level === DigestLevel.ROOT ? "root" : "kinds"}` : "";
      this.heard.push(`${direction} ${kind}${level}`);
      this.#world.trace.add(`${cluster} ${direction} ${kind}${level}`);
    }
    if (direction !== "down") return;
    if (kind === "welcome") this.#welcomedEpochs.set(cluster, epoch);
    if (epoch > 0 && kind !== "rejected" && epoch < (this.#welcomedEpochs.get(cluster) ?? 0))
      this.#blame(`${cluster} is told ${kind} in epoch ${epoch}, after ${this.#welcomedEpochs.get(cluster)} began`);
    if (down?.case === "rejected" && down.value.detail.startsWith("DIVERGED"))
      this.#blame(`${cluster} is told that its digests diverged, where nothing is wrong`);
    if (down?.case === "ack") this.#acknowledged.push({ cluster, incarnation, seq: Number(down.value.seq) });
  }

  /** The log with the judge before it. */
  watchLog(log: FleetLog): FleetLog {
    return new Proxy(log, {
      get: (target, name) => {
        if (name === "append")
          return async (flush: Flush) => {
            const outcome = await target.append(flush);
            this.#takeAppend(flush, outcome);
            return outcome;
          };
        if (name === "raiseEpoch")
          return async (cluster: string, shard: string, epoch: number) => {
            const progress = await target.raiseEpoch(cluster, shard, epoch);
            this.#raisedEpochs.set(cluster, Math.max(this.#raisedEpochs.get(cluster) ?? 0, progress.epoch));
            return progress;
          };
        const method: unknown = Reflect.get(target, name);
        return method;
      },
    });
  }

  /** Rows became visible: none of them goes while its object is there (L4). */
  takeChanges({ cluster, changes }: FlushChanges): void {
    for (const { kind, resource, uid, ...key } of changes) {
      if (kind === "removed" && this.#clusters.get(cluster)?.truth.isAlive(resource, key, uid) === true)
        this.#blame(`${cluster} loses the row of ${resource} ${key.namespace}/${key.name}, which is there`);
    }
  }

  /** Every flush that was acknowledged is among those that made the log what it is (L3). */
  checkAcknowledged(disk: SimDisk<FleetLogEngine>): void {
    const durable = new Set<string>();
    for (const { method, args, result } of disk.calls) {
      if (method === "append" && result.kind === "appended") durable.add(nameOf(args[0]));
    }
    for (const acknowledged of this.#acknowledged) {
      if (!durable.has(nameOf(acknowledged))) this.#blame(`${nameOf(acknowledged)}, acknowledged, is lost`);
    }
    this.#acknowledged = [];
  }

  /** Nothing the hub shows never was, and what it calls live and current is not behind its bound (L8, HE4). */
  sample({ fleet, health }: HubFleet): void {
    for (const { id, truth } of this.#clusters.values()) {
      const isLive = health.get(parseClusterId(id))?.connection.state === "live";
      const kinds = health.kinds(parseClusterId(id));
      const current = new Set(kinds.filter(({ isCurrent }) => isCurrent).map(({ resource }) => resource));
      for (const resource of truth.resources) {
        const rows = [...(fleet.picture.snapshot(id, resource)?.rows() ?? [])];
        for (const row of rows) {
          if (!truth.wasEver(resource, row)) this.#blame(`${id} shows ${resource} ${row.name}, which never was`);
        }
        if (!this.#isSettled(`${id} ${resource}`, isLive && current.has(resource))) continue;
        for (const difference of truth.findDifferences(resource, rows, honestMs))
          this.#blame(`${id} is live and current, and ${difference} after ${honestMs} ms`);
      }
    }
  }

  /** What the hub's picture of all clusters has otherwise than they are now; the state of each that is not live, the kinds that are not followed. */
  findDifferences({ fleet, health }: HubFleet): readonly string[] {
    return [...this.#clusters.values()].flatMap(({ id, truth }) => {
      const state = health.get(parseClusterId(id))?.connection.state ?? "unknown";
      const differences = truth.resources.flatMap((resource) =>
        truth.findDifferences(resource, fleet.picture.snapshot(id, resource)?.rows() ?? [], 0),
      );
      const behind = health
        .kinds(parseClusterId(id))
        .filter((kind) => !kind.isCurrent && kind.state !== "notInstalled")
        .map((kind) => `${kind.resource} is ${kind.state}`);
      const found = [...(state === "live" ? [] : [`is ${state}`]), ...differences, ...behind];
      return found.map((each) => `${id}: ${each}`);
    });
  }

  /** True once a kind was called current at every look for as long as what its watch has just told takes to become visible. */
  #isSettled(kind: string, isCurrent: boolean): boolean {
    const nowMs = this.#world.clock.nowMs();
    if (!isCurrent) this.#currentSinceMs.delete(kind);
    else if (!this.#currentSinceMs.has(kind)) this.#currentSinceMs.set(kind, nowMs);
    return isCurrent && nowMs - (this.#currentSinceMs.get(kind) ?? nowMs) >= heartbeatMs;
  }

  #takeAppend(flush: Flush, outcome: AppendOutcome): void {
    const { cluster, epoch, parts } = flush;
    this.#world.trace.add(`append of ${cluster} ${outcome.kind}`);
    if (outcome.kind !== "appended") return;
    const raised = this.#raisedEpochs.get(cluster) ?? 0;
    if (epoch < raised) this.#blame(`${cluster} is written in epoch ${epoch}, after ${raised} began`);
    const truth = this.#clusters.get(cluster)?.truth;
    for (const { bytes } of parts) {
      const batch = decodeRowBatch(bytes, hasher);
      const resource = resourceIdText(batch.resource);
      for (let at = 0; at < batch.rowCount; at += 1) {
        const row = batch.row(at);
        if (truth?.wasEver(resource, row) !== true)
          this.#blame(`${cluster} sends ${resource} ${row.name} of ${row.resourceVersion}, which never was`);
      }
    }
  }

  #blame(sentence: string): void {
    this.#world.trace.add(`VIOLATION ${sentence}`);
    this.violations.push(`at ${this.#world.clock.nowMs()} ms ${sentence}`);
  }
}

function nameOf({ cluster, incarnation, seq }: Acknowledged): string {
  return `flush ${seq} of ${incarnation} of ${cluster}`;
}

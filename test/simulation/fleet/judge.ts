// SPDX-License-Identifier: Apache-2.0
// The judge of the fleet's world: hears everything that passes the hub's door and its log, and holds it against the
// clusters.
import { DigestLevel, RejectReason } from "../../../src/gen/flotilla/session/v1/session_pb.ts";
import type { HubFleet } from "../../../src/hub/hub-fleet.ts";
import { rowsIn } from "../../../src/hub/index/testing/in-thread-index.ts";
import type { FlushChanges } from "../../../src/hub/rows/fleet-reader.ts";
import { parseClusterId } from "../../../src/model/cluster-id.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import { rbacResources } from "../../../src/model/rbac-resources.ts";
import { decodeRowBatch } from "../../../src/model/row-batch/decode.ts";
import type { Row } from "../../../src/model/rows/row.ts";
import type { AppendOutcome, FleetLog, FleetLogEngine, Flush } from "../../../src/store/fleet-log/fleet-log.ts";
import type { SimDisk } from "../../support/sim/disk.ts";
import type { World } from "../../support/sim/world.ts";
import { AccessJudge } from "./access-judge.ts";
import type { AccessStates } from "./access-states.ts";
import type { SimCluster } from "./cluster.ts";
import { hasher } from "./keys.ts";
import type { Passage } from "./tap.ts";
import { heartbeatMs, honestMs } from "./timing.ts";
import type { ClusterTruth } from "./truth.ts";

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
  /**
   * Messages that are neither heartbeats nor their answers, as `up flush` or `down ack`, since the last call of
   * `listen`.
   */
  heard: string[] = [];
  readonly #world: World;
  readonly #clusters: ReadonlyMap<string, SimCluster>;
  readonly #welcomedEpochs = new Map<string, number>();
  readonly #raisedEpochs = new Map<string, number>();
  readonly #currentSinceMs = new Map<string, number>();
  /** Clusters whose rows were ever shown. */
  readonly #shownIds = new Set<string>();
  /** The newest acknowledgement that left the hub, by cluster and incarnation. */
  readonly #heardAcks = new Map<string, bigint>();
  #acknowledged: Acknowledged[] = [];
  #excused: { readonly id: string; readonly resource: string | undefined } | undefined;

  constructor(world: World, clusters: readonly SimCluster[]) {
    this.#world = world;
    this.#clusters = new Map(clusters.map((cluster) => [cluster.id, cluster]));
  }

  /** Judges what users read from a hub with these states. */
  access(states: AccessStates): AccessJudge {
    return new AccessJudge(this.#world, states, (sentence) => this.#blame(sentence));
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
    if (up?.case === "flush") this.#checkOrder(cluster, up.value.parts);
    if (direction !== "down") return;
    if (kind === "welcome") this.#welcomedEpochs.set(cluster, epoch);
    if (down?.case === "welcome") this.#noteLostAck(cluster, incarnation, down.value);
    if (epoch > 0 && kind !== "rejected" && epoch < (this.#welcomedEpochs.get(cluster) ?? 0))
      this.#blame(`${cluster} is told ${kind} in epoch ${epoch}, after ${this.#welcomedEpochs.get(cluster)} began`);
    if (down?.case === "rejected" && down.value.reason === RejectReason.DIVERGED)
      this.#blame(`${cluster} is told that its digests diverged, where nothing is wrong`);
    if (down?.case === "ack") {
      this.#acknowledged.push({ cluster, incarnation, seq: Number(down.value.seq) });
      this.#heardAcks.set(`${cluster} ${incarnation}`, down.value.seq);
    }
  }

  /** Grants come before what they grant (L2, SE16). */
  #checkOrder(cluster: string, parts: Flush["parts"] | readonly { readonly resource: string }[]): void {
    const firstOther = parts.findIndex(({ resource }) => !rbacResources.includes(resource));
    if (firstOther !== -1 && parts.slice(firstOther).some(({ resource }) => rbacResources.includes(resource)))
      this.#blame(`${cluster} sends grants behind other kinds`);
  }

  /** Only in the trace: a flush was durable, and the word of it never left. */
  #noteLostAck(
    cluster: string,
    incarnation: string,
    { durableIncarnation, durableSeq }: { readonly durableIncarnation: string; readonly durableSeq: bigint },
  ): void {
    const heard = this.#heardAcks.get(`${cluster} ${incarnation}`) ?? 0n;
    if (durableIncarnation === incarnation && durableSeq > heard)
      this.#world.trace.add(`${cluster} resumes after ${durableSeq}, acknowledged up to ${heard}`);
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
            const outcome = await target.raiseEpoch(cluster, shard, epoch);
            const newest = outcome.kind === "raised" ? outcome.durable.epoch : outcome.epoch;
            if (outcome.kind === "fenced") this.#world.trace.add(`epoch ${epoch} of ${cluster} is fenced by ${newest}`);
            this.#raisedEpochs.set(cluster, Math.max(this.#raisedEpochs.get(cluster) ?? 0, newest));
            return outcome;
          };
        const method: unknown = Reflect.get(target, name);
        return method;
      },
    });
  }

  /**
   * The hub goes on from a copy: what it acknowledged since is gone by its owner's will, and epochs count on from
   * there.
   */
  goBack(): void {
    this.#acknowledged = [];
    this.#welcomedEpochs.clear();
    this.#raisedEpochs.clear();
    this.#heardAcks.clear();
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
  sample(hub: HubFleet, of: readonly SimCluster[] = [...this.#clusters.values()]): void {
    const { fleet } = hub;
    for (const { id, truth } of of) {
      this.#checkGrants(id, truth, fleet);
      const current = currentKinds(hub, id);
      for (const resource of truth.resources) {
        const rows = rowsIn(fleet.index, id, resource);
        for (const row of rows) {
          if (!truth.wasEver(resource, row)) this.#blame(`${id} shows ${resource} ${row.name}, which never was`);
        }
        if (this.#isSettled(`${id} ${resource}`, current.has(resource))) this.#checkHonest(id, truth, resource, rows);
      }
    }
  }

  /** Of clusters whose session is at another hub: nothing that is shown never was. */
  sampleFollowed({ fleet }: HubFleet, of: readonly SimCluster[]): void {
    for (const { id, truth } of of)
      for (const resource of truth.resources)
        for (const row of rowsIn(fleet.index, id, resource))
          if (!truth.wasEver(resource, row)) this.#blame(`${id} shows ${resource} ${row.name}, which never was`);
  }

  /** What a hub that follows a cluster has otherwise than it is now. */
  findFollowedDifferences({ fleet }: HubFleet, id: string): readonly string[] {
    const truth = this.#clusters.get(id)?.truth;
    if (truth === undefined) return [`${id}: is not a cluster`];
    if (!fleet.fleetRows.isRbacComplete(id)) return [`${id}: is not shown`];
    return truth.resources
      .flatMap((resource) => truth.findDifferences(resource, rowsIn(fleet.index, id, resource), 0))
      .map((each) => `${id} where it is followed: ${each}`);
  }

  /** Of clusters that are proven equal anew: not even for a moment are they called live and are behind (HE4, U-53). */
  lookAtLive(hub: HubFleet): void {
    for (const { id, truth } of this.#clusters.values())
      for (const resource of currentKinds(hub, id))
        this.#checkHonest(id, truth, resource, rowsIn(hub.fleet.index, id, resource));
  }

  #checkHonest(id: string, truth: ClusterTruth, resource: string, rows: readonly Row[]): void {
    for (const difference of truth.findDifferences(resource, rows, honestMs))
      this.#blame(`${id} is live and current, and ${difference} after ${honestMs} ms`);
  }

  /**
   * What the hub's rows of all clusters has otherwise than they are now; the state of each that is not live, the kinds
   * that are not followed.
   */
  findDifferences({ fleet, health }: HubFleet, of: Iterable<string> = this.#clusters.keys()): readonly string[] {
    return [...of].flatMap((id) => {
      const truth = this.#clusters.get(id)?.truth;
      if (truth === undefined) return [`${id}: is not a cluster`];
      const state = health.get(parseClusterId(id))?.connection.state ?? "unknown";
      const kinds = health.kinds(parseClusterId(id));
      const excused = this.#excused?.id === id ? this.#excused : undefined;
      if (excused !== undefined && excused.resource === undefined) return state === "live" ? [`${id}: is live`] : [];
      const isJudged = (resource: string): boolean => resource !== excused?.resource;
      const differences = truth.resources
        .filter(isJudged)
        .flatMap((resource) => truth.findDifferences(resource, rowsIn(fleet.index, id, resource), 0));
      const untrue = kinds
        .filter(({ resource, isCurrent, state: following }) =>
          isJudged(resource) ? !isCurrent && following !== "notInstalled" : isCurrent,
        )
        .map((kind) => `${kind.resource} is ${kind.state}`);
      const found = [...(state === "live" ? [] : [`is ${state}`]), ...differences, ...untrue];
      return found.map((each) => `${id}: ${each}`);
    });
  }

  /**
   * From now on a cluster, or one kind of it, need not be as it is; but it must not pass for live or current (L9).
   * Undefined: everything is judged.
   */
  excuse(id: string | undefined, resource: string | undefined): void {
    this.#excused = id === undefined ? undefined : { id, resource };
  }

  /** Rows are shown from when the grants of the cluster are all there, and not before (L2). */
  #checkGrants(id: string, truth: ClusterTruth, { fleetRows, index }: HubFleet["fleet"]): void {
    if (this.#shownIds.has(id) || !fleetRows.isRbacComplete(id)) return;
    this.#shownIds.add(id);
    this.#world.trace.add(`${id} is shown`);
    for (const resource of rbacResources) {
      const rows = rowsIn(index, id, resource);
      for (const difference of truth.findDifferences(resource, rows, honestMs))
        this.#blame(`${id} is shown before its grants are complete: ${difference}`);
    }
  }

  /**
   * True once a kind was called current at every look for as long as what its watch has just told takes to become
   * visible.
   */
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

/** The kinds of a live cluster that are called current; none of another. */
function currentKinds({ health }: HubFleet, id: string): ReadonlySet<string> {
  const isLive = health.get(parseClusterId(id))?.connection.state === "live";
  const kinds = isLive ? health.kinds(parseClusterId(id)) : [];
  return new Set(kinds.filter(({ isCurrent }) => isCurrent).map(({ resource }) => resource));
}

function nameOf({ cluster, incarnation, seq }: Acknowledged): string {
  return `flush ${seq} of ${incarnation} of ${cluster}`;
}

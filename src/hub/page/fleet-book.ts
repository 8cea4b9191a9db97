// SPDX-License-Identifier: Apache-2.0
import { toBinary } from "@bufbuild/protobuf";
import { ClusterObjectsSchema, FleetClusterSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import type { AgentBook } from "./agent-book.ts";
import { toClusterObjects, toFleetCluster } from "./fleet-cluster-message.ts";
import { type Stamped, stamp } from "./stamped.ts";
import { cellOf } from "./strip.ts";
import type { StripBook } from "./strip-book.ts";
import type { TroubleTally } from "./trouble-tally.ts";
import { joinFields, toField } from "./wire-fragment.ts";

/** One cluster as encoded FleetClusters: for those who may not see what objects tell, and for those who may. */
export interface FleetEntry {
  readonly plain: Stamped;
  readonly full: Stamped;
}

export interface FleetBookOptions {
  readonly parts: FleetParts;
  readonly agents: AgentBook;
  readonly strips: StripBook;
  readonly tally: TroubleTally;
}

const objectsField = FleetClusterSchema.field.objects.number;

/** Every cluster, encoded once each time that it changed, whoever looks. */
export class FleetBook {
  readonly #options: FleetBookOptions;
  readonly #entries = new Map<string, FleetEntry>();
  readonly #touched = new Set<string>();
  #healthPosition = -1;
  #cell = 0;

  constructor(options: FleetBookOptions) {
    this.#options = options;
  }

  /** In no order. */
  get entries(): ReadonlyMap<string, FleetEntry> {
    return this.#entries;
  }

  /** Something of the cluster may be other than it was. */
  touch(cluster: string): void {
    this.#touched.add(cluster);
  }

  /** Brings the book up to now; what changed has this step. Answers whether clusters came or went. */
  refresh(step: number): boolean {
    let areClustersOthers = false;
    for (const cluster of this.#takeTouched()) {
      const before = this.#entries.get(cluster);
      const entry = this.#encode(cluster, before, step);
      if (entry === undefined) this.#forget(cluster);
      else this.#entries.set(cluster, entry);
      if ((entry === undefined) !== (before === undefined)) areClustersOthers = true;
    }
    return areClustersOthers;
  }

  #forget(cluster: string): void {
    const { agents, strips, tally } = this.#options;
    this.#entries.delete(cluster);
    agents.forget(cluster);
    strips.forget(cluster);
    tally.forget(cluster);
  }

  /** What was touched, what the monitor tells, and everything where it tells no longer or where a half hour is over. */
  #takeTouched(): readonly string[] {
    const { health, fleet, clock } = this.#options.parts;
    const changes = this.#healthPosition < 0 ? undefined : health.changesAfter(this.#healthPosition);
    const cell = cellOf(clock.wallMs());
    const isAll = changes === undefined || cell !== this.#cell;
    this.#healthPosition = health.position;
    this.#cell = cell;
    for (const { cluster } of changes ?? []) this.#touched.add(cluster);
    if (isAll) for (const id of [...this.#entries.keys(), ...fleet.clusters.list().map(({ id }) => id)]) this.touch(id);
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  /** Undefined for what is not registered, or not judged yet. */
  #encode(id: string, before: FleetEntry | undefined, step: number): FleetEntry | undefined {
    const { parts, agents, strips, tally } = this.#options;
    const { fleet, health, details, credentials } = parts;
    const record = fleet.clusters.get(id);
    const cluster = record === undefined ? undefined : parseClusterId(id);
    const view = cluster === undefined ? undefined : health.get(cluster);
    if (record === undefined || cluster === undefined || view === undefined) return undefined;
    const { state } = view.connection;
    const tile = toFleetCluster({
      record,
      view,
      agent: agents.get(id),
      progress: health.progress(cluster),
      queuePosition: details.positionOf(id),
      replacedByUid: details.replacementOf(id, record.clusterUid),
      strip: strips.toBytes(id, { state, registeredMs: record.createdAtMs }),
      credential: credentials.of(id),
    });
    const plain = toBinary(FleetClusterSchema, tile);
    const objects = fleet.picture.isRbacComplete(id)
      ? toClusterObjects({
          rowCount: fleet.picture.rowCount(id),
          troubles: tally.of(id),
          failingKinds: failingKinds(parts, id),
        })
      : undefined;
    // Of a cluster whose grants are not complete nothing is told that its objects tell (L2).
    const full =
      objects === undefined
        ? plain
        : joinFields([plain, toField(objectsField, toBinary(ClusterObjectsSchema, objects))]);
    return { plain: stamp(before?.plain, plain, step), full: stamp(before?.full, full, step) };
  }
}

function failingKinds({ details }: FleetParts, id: string): readonly string[] {
  const failing = [...details.kindsOf(id)].filter(([, { facts }]) => facts.state === "failed");
  return failing.map(([resource]) => resource).sort();
}

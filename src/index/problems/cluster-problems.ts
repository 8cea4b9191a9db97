// SPDX-License-Identifier: Apache-2.0
// The troubled objects of one cluster, as groups of a cause and its followers (PB1, PB2, PB5).
import type { Hasher } from "../../model/rows/hasher.ts";
import { type Status, statusRank } from "../../model/status.ts";
import type { SelectionOf } from "../relations/table-selection.ts";
import { type PlacedRow, placeId, type VisibleCluster } from "../relations/visible-cluster.ts";
import { GroupDescriber, type GroupMember, type RootedMembers } from "./describe-group.ts";
import { explainByNodes } from "./explain-by-nodes.ts";
import { OwnerChains } from "./owner-chains.ts";
import type { ProblemGroup } from "./problem-group.ts";

/** How many troubled objects are looked at between two yields: about 5 ms of work. */
const objectsPerSlice = 1_024;

/** How many rows are scanned for their status between two yields: about 1 ms of work. */
const rowsPerSlice = 262_144;

/** A row with a wanted status costs as much as this many others. */
const rowsPerTroubled = 64;

/** Which objects count as troubled. */
export interface TroubledObjects {
  /** Statuses that count, such as `unhealthy`. */
  readonly statuses: readonly Status[];
  /** Leaves out objects that a query does not select. */
  readonly selectionOf?: SelectionOf | undefined;
}

/** The groups of a cluster, in no particular order. Row numbers are held between yields: see `atOneMoment`. */
export function* findProblemGroups(
  cluster: VisibleCluster,
  wanted: TroubledObjects,
  hasher: Hasher,
): Generator<void, readonly ProblemGroup[], undefined> {
  const troubled = yield* findTroubled(cluster, wanted);
  const chains = new OwnerChains(cluster);
  const rooted = yield* findRoots(chains, troubled);
  const describer = new GroupDescriber(hasher);
  const groups: ProblemGroup[] = [];
  let count = 0;
  for (const each of rooted) {
    groups.push(describer.describe(each));
    count += each.members.length;
    if (count >= objectsPerSlice) {
      yield;
      count = 0;
    }
  }
  return yield* explainByNodes(cluster, groups, chains);
}

/** By place. */
function* findTroubled(
  cluster: VisibleCluster,
  { statuses, selectionOf }: TroubledObjects,
): Generator<void, ReadonlyMap<number, PlacedRow>, undefined> {
  const ranks = statuses.map(statusRank);
  const isWanted = Uint8Array.from({ length: 256 }, (_, rank) => (ranks.includes(rank) ? 1 : 0));
  const troubled = new Map<number, PlacedRow>();
  let work = 0;
  for (const table of cluster.tables()) {
    const selection = table.hasRank(ranks) ? (selectionOf?.(cluster.id, table.resource) ?? "all") : "none";
    if (selection === "none") continue;
    for (let row = 0; row < table.rowCount; row += 1) {
      work += 1;
      if (work >= rowsPerSlice) {
        yield;
        work = 0;
      }
      if (isWanted[table.statusRankOf(row)] !== 1) continue;
      work += rowsPerTroubled;
      if (!table.isVisible(row)) continue;
      if (selection === "all" || selection(row)) troubled.set(placeId({ table, row }), { table, row });
    }
  }
  return troubled;
}

/** Each troubled object under its root. */
function* findRoots(
  chains: OwnerChains,
  troubled: ReadonlyMap<number, PlacedRow>,
): Generator<void, readonly RootedMembers[], undefined> {
  const byRoot = new Map<number, RootedMembers & { readonly members: GroupMember[] }>();
  let count = 0;
  for (const placed of troubled.values()) {
    const chain = chains.chainOf(placed);
    const depth = chain.findLastIndex((each) => troubled.has(placeId(each)));
    const root = chain[depth] ?? placed;
    const known = byRoot.get(placeId(root));
    if (known === undefined)
      byRoot.set(placeId(root), { root, chain: chain.slice(depth), members: [{ placed, depth }] });
    else known.members.push({ placed, depth });
    count += 1;
    if (count % objectsPerSlice === 0) yield;
  }
  return [...byRoot.values()];
}

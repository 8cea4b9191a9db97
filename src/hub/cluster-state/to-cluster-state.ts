// SPDX-License-Identifier: Apache-2.0
// Converts the rows of one cluster to its ClusterState, in chunks (N-8).
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type GetClusterStateResponse, KindReadingSchema } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import { type ConnectionSchema, type KindCoverage, KindCoverageSchema } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { RowContent } from "../../model/rows/row.ts";
import { type KindList, kindLists } from "./kind-lists.ts";
import { KindTally, type RowOutcome } from "./kind-tally.ts";
import { listElement, StateChunks, type StatePiece } from "./state-chunks.ts";

/** A row and the text of its resource id. */
export interface ClusterRow {
  readonly resource: string;
  readonly row: RowContent;
}

/** The hub's state of one cluster at one moment. */
export interface LoadedCluster {
  readonly connection: MessageInitShape<typeof ConnectionSchema>;
  /** Any kinds, in any order. */
  readonly kinds: readonly KindCoverage[];
  /** In any order, each key once. Rows of kinds without a list, or of kinds not wanted, are skipped. */
  readonly rows: AsyncIterable<ClusterRow> | Iterable<ClusterRow>;
}

/** Selects parts of a state. */
export interface StateWanted {
  readonly clusterId: string;
  /** Texts of resource ids that have a list. */
  readonly resources: ReadonlySet<string>;
  /** Maximum bytes of one chunk. Far more than a row (CO24) or one kind's coverage takes. */
  readonly maxChunkBytes: number;
  readonly signal: AbortSignal;
}

/**
 * The state in chunks, the last one marked. Rows are read as chunks are consumed, so a slow reader costs one chunk of
 * memory. A row with an unreadable value keeps the rest and is counted (L14). Ends without the last chunk when the
 * signal aborts; errors from reading rows pass through.
 */
export async function* toClusterState(
  loaded: LoadedCluster,
  wanted: StateWanted,
): AsyncGenerator<GetClusterStateResponse> {
  const lists = Array.from(kindLists.values()).filter(({ resource }) => wanted.resources.has(resource));
  const coverage = coverageOf(lists, loaded.kinds);
  const tallies = new Map(lists.map(({ resource }) => [resource, new KindTally(resource)]));
  const chunks = new StateChunks(
    { clusterId: wanted.clusterId, connection: loaded.connection, collectedMsAgo: oldestOf(coverage) },
    wanted.maxChunkBytes,
  );
  for (const each of coverage) {
    const full = chunks.add(listElement(KindCoverageSchema, each, (state) => state.coverage));
    if (full !== undefined) yield full;
  }
  for await (const { resource, row } of loaded.rows) {
    if (wanted.signal.aborted) return;
    const [list, tally] = [kindLists.get(resource), tallies.get(resource)];
    if (list === undefined || tally === undefined) continue;
    const { piece, isCut, fault } = toFittingPiece(list, row, chunks);
    tally.count(row, { isCut, fault });
    const full = chunks.add(piece);
    if (full !== undefined) yield full;
  }
  for (const tally of tallies.values()) {
    const full = chunks.add(listElement(KindReadingSchema, tally.toReading(), (state) => state.readings));
    if (full !== undefined) yield full;
  }
  yield chunks.last();
}

/** The coverage of each list, in their order; `unknown` where the agent has not reported the kind. */
function coverageOf(lists: readonly KindList[], kinds: readonly KindCoverage[]): readonly KindCoverage[] {
  const known = new Map(kinds.map((each) => [each.resource, each]));
  return lists.map(
    ({ resource, kind }) => known.get(resource) ?? create(KindCoverageSchema, { resource, kind, state: "unknown" }),
  );
}

function oldestOf(coverage: readonly KindCoverage[]): bigint | undefined {
  return coverage.reduce<bigint | undefined>((oldest, { currentMsAgo }) => {
    if (currentMsAgo === undefined) return oldest;
    return oldest === undefined || currentMsAgo > oldest ? currentMsAgo : oldest;
  }, undefined);
}

/** The row's element. One that exceeds a chunk is sent without its columns, labels and annotations. */
function toFittingPiece(
  list: KindList,
  row: RowContent,
  chunks: StateChunks,
): RowOutcome & { readonly piece: StatePiece } {
  const { piece, fault, isCut } = list.readRow(row);
  if (!chunks.fitsAlone(piece)) {
    const bare = list.readRow({ ...row, labels: new Map(), annotations: new Map(), columns: new Map() });
    return { piece: bare.piece, isCut, fault: "is larger than a message may be; only its metadata is included" };
  }
  return { piece, isCut, fault: fault === undefined ? undefined : `has a value that cannot be read: ${fault}` };
}

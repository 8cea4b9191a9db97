// SPDX-License-Identifier: Apache-2.0
// The agent's side of the digest exchange (SE23 to SE27): builds its digests and handles the hub's requests.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { DigestLevel, type DigestsSchema } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { Digest } from "../../model/rows/digest.ts";
import type { Outbox } from "./outbox.ts";
import type { NeedBuckets } from "./parse-response.ts";
import type { RowTable } from "./row-table.ts";
import { doGrantsWait, sentBuckets, sentKinds, sentRoot } from "./sent-digests.ts";

type DigestsInit = MessageInitShape<typeof DigestsSchema>;

function digestFields({ rowCount, sum }: Digest): { readonly rowCount: bigint; readonly sum: bigint } {
  return { rowCount: BigInt(rowCount), sum };
}

/** The digest of all complete kinds; undefined while no kind is complete. */
export function rootDigests(table: RowTable): DigestsInit | undefined {
  if (!table.kinds.some((kind) => kind.isComplete)) return undefined;
  return { level: DigestLevel.ROOT, kinds: [digestFields(sentRoot(table))], grantsWait: doGrantsWait(table) };
}

/** The digests of these kinds as far as they are complete; of all complete kinds without `resources`. */
export function kindDigests(table: RowTable, resources?: ReadonlySet<string>): DigestsInit | undefined {
  const kinds = sentKinds(table)
    .filter(({ kind }) => resources === undefined || resources.has(kind.resource))
    .map(({ kind, digest }) => ({ resource: kind.resource, ...digestFields(digest) }));
  return kinds.length === 0 ? undefined : { level: DigestLevel.KINDS, kinds, grantsWait: doGrantsWait(table) };
}

/** The digests of the buckets of these kinds. Incomplete kinds are left out (SE23). */
export function bucketDigests(table: RowTable, resources: ReadonlySet<string>): DigestsInit | undefined {
  const kinds = [...resources].flatMap((resource) => {
    const kind = table.getKind(resource);
    if (kind === undefined || !kind.isComplete) return [];
    const digests = sentBuckets(table, kind);
    const buckets = digests.list();
    return [
      {
        resource,
        ...digestFields(digests.total()),
        bucketRowCounts: buckets.map(({ rowCount }) => rowCount),
        bucketSums: buckets.map(({ sum }) => sum),
      },
    ];
  });
  return kinds.length === 0 ? undefined : { level: DigestLevel.BUCKETS, kinds, grantsWait: doGrantsWait(table) };
}

/** Queues the rows that the hub asked for. False for a kind that is not complete: nothing of it is replaced (SE26). */
export function queueRequestedRows(table: RowTable, outbox: Outbox, need: NeedBuckets): boolean {
  const kind = table.getKind(need.resource);
  if (kind === undefined || !kind.isComplete) return false;
  if (need.all) outbox.requestAll(kind);
  else outbox.requestBuckets(kind, need.buckets);
  return true;
}

// SPDX-License-Identifier: Apache-2.0
// Whether a delivery still shows its owner nothing but what the owner may see (SQ18). Pure.

/** By cluster, the mark of the owner's rights, as `FleetQueries.accessMarks` gives it. */
export type AccessMarks = ReadonlyMap<string, string>;

/**
 * `current`: the rights are those of the evaluation. `unread`: those of some cluster are not known now, and no other
 * changed. `changed`: the owner may no longer see some of the rows.
 */
export type DeliveryAccess = "current" | "unread" | "changed";

/** The marks of the clusters that a query selects. */
export function marksOfClusters(marks: AccessMarks, clusters: readonly string[]): AccessMarks {
  return new Map(
    clusters.flatMap((cluster) => {
      const mark = marks.get(cluster);
      return mark === undefined ? [] : [[cluster, mark] as const];
    }),
  );
}

/** Compares the marks of an evaluation with those of now. */
export function judgeDelivery(evaluated: AccessMarks, now: AccessMarks): DeliveryAccess {
  let isUnread = false;
  for (const [cluster, mark] of evaluated) {
    const present = now.get(cluster);
    if (present === undefined) isUnread = true;
    else if (present !== mark) return "changed";
  }
  return isUnread ? "unread" : "current";
}

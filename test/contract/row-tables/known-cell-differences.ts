// SPDX-License-Identifier: Apache-2.0
// Cells that differ from kubectl's because the row does not hold the value. The list may only shrink: the tests fail
// for a cell that differs and is not here, and for an entry that no cell needs.
import type { RowTableCell } from "../../../src/kinds/table/row-table-definition.ts";

/** One column in which cells may differ. */
export interface KnownDifference {
  readonly resource: string;
  readonly column: string;
  /** Why the row does not hold it. */
  readonly reason: string;
  /** True for the pairs of cells that the reason explains. */
  readonly explains: (ours: RowTableCell, kubectls: RowTableCell) => boolean;
}

const isPrefixOf = (ours: RowTableCell, theirs: RowTableCell): boolean => String(theirs).startsWith(String(ours));

/** Without the measured values, of which the row has none: `cpu: 12%/80%` as `/80%`. */
const targetsIn = (cell: RowTableCell): readonly string[] =>
  String(cell)
    .split(", ")
    .map((metric) => metric.slice(metric.indexOf("/")));

const isOfSameTargets = (ours: RowTableCell, theirs: RowTableCell): boolean => {
  const [left, right] = [targetsIn(ours), targetsIn(theirs)];
  return (
    left.length === right.length && left.every((target, at) => target.startsWith("/<unknown>") || target === right[at])
  );
};

export const knownDifferences: readonly KnownDifference[] = [
  {
    resource: "autoscaling/horizontalpodautoscalers",
    column: "Targets",
    reason: "measured values change at every run of the controller, and names and targets of other metrics stay (KI22)",
    explains: isOfSameTargets,
  },
  {
    resource: "events",
    column: "Subobject",
    reason: "it is a part of a Pod's spec, which stays in the cluster (KI2)",
    explains: (ours) => ours === "",
  },
  {
    resource: "events",
    column: "Source",
    reason: "the row has the reporting component, not its instance",
    explains: isPrefixOf,
  },
  {
    resource: "events",
    column: "Message",
    reason: "a kubelet's message may quote a command (KI2)",
    explains: (ours) => ours === "",
  },
  {
    resource: "events",
    column: "Last Seen",
    reason: "an event without any time was last seen when it was created",
    explains: (_, theirs) => theirs === "<unknown>",
  },
  {
    resource: "events",
    column: "First Seen",
    reason: "an event without any time was first seen when it was created",
    explains: (_, theirs) => theirs === "<unknown>",
  },
  {
    resource: "apps/replicasets",
    column: "Selector",
    reason: "rows hold requirements as a set (KI8), so several of one key are printed in bytewise order",
    explains: (ours, theirs) => String(ours).split(",").sort().join() === String(theirs).split(",").sort().join(),
  },
  ...["gitrepositories", "helmrepositories", "ocirepositories"].map((resource) => ({
    resource: `source.toolkit.fluxcd.io/${resource}`,
    column: "URL",
    reason: "the user and the query of a URL are cut off (KI2)",
    explains: hasNoMore,
  })),
  {
    resource: "source.toolkit.fluxcd.io/buckets",
    column: "Endpoint",
    reason: "the user and the query of a URL are cut off (KI2)",
    explains: hasNoMore,
  },
  ...[
    "kustomize.toolkit.fluxcd.io/kustomizations",
    "helm.toolkit.fluxcd.io/helmreleases",
    "source.toolkit.fluxcd.io/gitrepositories",
    "source.toolkit.fluxcd.io/helmrepositories",
    "source.toolkit.fluxcd.io/ocirepositories",
    "source.toolkit.fluxcd.io/buckets",
    "source.toolkit.fluxcd.io/helmcharts",
  ].map((resource) => ({
    resource,
    column: "Status",
    reason: "the user and the query of a URL in a message are cut off (KI2), and it has at most 1,024 bytes (KI6)",
    explains: hasNoMore,
  })),
];

/** Credentials were cut out: what is left is in the whole, in its order. */
function hasNoMore(ours: RowTableCell, theirs: RowTableCell): boolean {
  let at = 0;
  const whole = String(theirs);
  for (const character of String(ours).replace(/…$/, "")) {
    at = whole.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import { assertClusterLabels } from "../../model/cluster-labels.ts";
import { flotillaMark } from "../../model/names.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import type { LeafState } from "./leaf-statuses.ts";

/** The label of a cluster that runs with an earlier credential than that of its Secret (IN29). */
export const leafFaultLabel = flotillaMark("gitops-fault");

/**
 * The record with the label set to this state, or without the label. The same record if nothing changes, or if the
 * cluster has no room for another label.
 */
export function withLeafFault(record: ClusterRecord, fault: LeafState | undefined): ClusterRecord {
  if (record.labels.get(leafFaultLabel) === fault) return record;
  const labels = new Map(record.labels);
  if (fault === undefined) labels.delete(leafFaultLabel);
  else labels.set(leafFaultLabel, fault);
  try {
    assertClusterLabels(labels);
  } catch (reason) {
    if (hasCode(reason, "INVALID_ARGUMENT")) return record;
    throw reason;
  }
  return { ...record, labels };
}

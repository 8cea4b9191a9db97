// SPDX-License-Identifier: Apache-2.0
import type { ClusterSummary } from "../../rows/fleet-reader.ts";

/**
 * Whether a summary may be shown to all viewers with this access key. The subject that read it may have got another key
 * since keys were listed (L17). A summary without shown rows tells nothing of them.
 */
export function isSummaryFor(accessKey: string, summary: ClusterSummary | undefined): summary is ClusterSummary {
  return summary !== undefined && (!summary.areRowsShown || summary.accessKey === accessKey);
}

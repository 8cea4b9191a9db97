// SPDX-License-Identifier: Apache-2.0
import { type JsonObject } from "../json/json.ts";
import { objectsAt, textAt, textOf } from "../json/json-fields.ts";
import type { Printer } from "../resources/printer.ts";
import { humanDuration } from "./age.ts";
import { ageCell, nameOf, textOr } from "./cells.ts";
import { ageColumn, nameColumn, textColumn, wideColumn } from "./columns.ts";
import { type PodSummary, readinessGates, summarizePod } from "./pod-status-cell.ts";

/** The printer of Pods. Rows of finished Pods have the condition by which kubectl filters them. */
export const podPrinter: Printer = {
  columns: [
    nameColumn,
    textColumn("Ready"),
    textColumn("Status"),
    textColumn("Restarts"),
    ageColumn,
    wideColumn("IP"),
    wideColumn("Node"),
    wideColumn("Nominated Node"),
    wideColumn("Readiness Gates"),
  ],
  row(pod, nowMs) {
    const summary = summarizePod(pod);
    const cells = [
      nameOf(pod),
      `${summary.readyCount}/${summary.containerCount}`,
      summary.reason,
      restartsCell(summary, nowMs),
      ageCell(pod, nowMs),
      podAddress(pod),
      textOr("<none>", pod, "spec", "nodeName"),
      textOr("<none>", pod, "status", "nominatedNodeName"),
      readinessGates(pod),
    ];
    const conditions = completion.get(textOf(pod, "status", "phase"));
    return conditions === undefined ? { cells } : { cells, conditions };
  },
};

const completion: ReadonlyMap<string, readonly JsonObject[]> = new Map([
  ["Succeeded", completed("Succeeded", "The pod has completed successfully.")],
  ["Failed", completed("Failed", "The pod failed.")],
]);

function completed(reason: string, message: string): readonly JsonObject[] {
  return [{ type: "Completed", status: "True", reason, message }];
}

function restartsCell({ restartCount, lastRestartAtMs }: PodSummary, nowMs: number): string {
  if (restartCount === 0 || lastRestartAtMs === undefined) return String(restartCount);
  return `${restartCount} (${humanDuration(nowMs - lastRestartAtMs)} ago)`;
}

/** `podIP` takes precedence over `podIPs`, which is newer. */
function podAddress(pod: JsonObject): string {
  const [first] = objectsAt(pod, "status", "podIPs");
  const listed = first === undefined ? "" : (textAt(first, "ip") ?? "");
  return textOr(listed === "" ? "<none>" : listed, pod, "status", "podIP");
}

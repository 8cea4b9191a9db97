// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { textMapOf, textOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";
import { selectorTexts } from "./service-kind.ts";
import { availability, countOf, generationFacts, rollingOut, setTemplate, templateColumns } from "./workload.ts";

/** DaemonSets. One that matches no node is healthy. Like StatefulSets they report only counts (KI20). */
export const daemonSetKind: Kind = {
  resource: { group: "apps", resource: "daemonsets" },
  kind: "DaemonSet",
  versions: ["v1"],
  isNamespaced: true,
  needsGenerationAge: true,
  columns: [
    { name: "desired", type: "integer", isMain: true },
    { name: "scheduled", type: "integer" },
    { name: "updated", type: "integer", isMain: true },
    { name: "ready", type: "integer", isMain: true },
    { name: "available", type: "integer", isMain: true },
    { name: "misscheduled", type: "integer" },
    { name: "strategy", type: "string" },
    { name: "nodeSelector", type: "stringList" },
    ...templateColumns,
  ],
  project: projectDaemonSet,
};

function projectDaemonSet(object: unknown): Projected {
  const columns: Columns = new Map();
  columns.set("desired", countOf(object, "desiredNumberScheduled"));
  columns.set("scheduled", countOf(object, "currentNumberScheduled"));
  columns.set("updated", countOf(object, "updatedNumberScheduled"));
  columns.set("ready", countOf(object, "numberReady"));
  columns.set("available", countOf(object, "numberAvailable"));
  columns.set("misscheduled", countOf(object, "numberMisscheduled"));
  setColumn(columns, "strategy", textOf(object, "spec", "updateStrategy", "type"));
  setColumn(columns, "nodeSelector", selectorTexts(textMapOf(object, "spec", "template", "spec", "nodeSelector")));
  setTemplate(columns, object);
  const isWithoutAny = countOf(object, "desiredNumberScheduled") > 0 && countOf(object, "numberReady") === 0;
  return { columns, status: statusOf(object), isWithoutAny, reconcile: generationFacts(object) };
}

function statusOf(object: unknown): StatusReport {
  const wanted = countOf(object, "desiredNumberScheduled");
  if (wanted === 0) return createStatusReport("healthy", "NoNodes", "no node matches");
  const created = countOf(object, "currentNumberScheduled");
  if (created < wanted) return rollingOut("Creating", `${created} of ${wanted} nodes have their Pod`);
  const isRolling = textOf(object, "spec", "updateStrategy", "type") !== "OnDelete";
  const updated = countOf(object, "updatedNumberScheduled");
  if (isRolling && updated < wanted) return rollingOut("RollingOut", `${updated} of ${wanted} replicas are updated`);
  return availability(countOf(object, "numberAvailable"), wanted, countOf(object, "numberReady"));
}

// SPDX-License-Identifier: Apache-2.0
import type { StatusReport } from "../model/status.ts";
import { fieldOf, integerOf, textOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn } from "./kind.ts";
import { labelSelectorTexts } from "./label-selector-texts.ts";
import {
  availability,
  countOf,
  generationFacts,
  replicasOf,
  rollingOut,
  scaledToZero,
  templateImages,
} from "./workload.ts";

/** StatefulSets. They report no conditions, so once all their Pods exist only readiness tells how they are. */
export const statefulSetKind: Kind = {
  resource: { group: "apps", resource: "statefulsets" },
  kind: "StatefulSet",
  versions: ["v1"],
  isNamespaced: true,
  columns: [
    { name: "replicas", type: "integer", isMain: true },
    { name: "updated", type: "integer", isMain: true },
    { name: "ready", type: "integer", isMain: true },
    { name: "available", type: "integer" },
    { name: "service", type: "string" },
    { name: "strategy", type: "string" },
    { name: "images", type: "stringList", isMain: true },
    { name: "selector", type: "stringList" },
  ],
  project: projectStatefulSet,
};

function projectStatefulSet(object: unknown): Projected {
  const columns: Columns = new Map();
  columns.set("replicas", replicasOf(object));
  columns.set("updated", countOf(object, "updatedReplicas"));
  columns.set("ready", countOf(object, "readyReplicas"));
  columns.set("available", countOf(object, "availableReplicas"));
  setColumn(columns, "service", textOf(object, "spec", "serviceName"));
  setColumn(columns, "strategy", textOf(object, "spec", "updateStrategy", "type"));
  setColumn(columns, "images", templateImages(fieldOf(object, "spec", "template")));
  setColumn(columns, "selector", labelSelectorTexts(fieldOf(object, "spec", "selector")));
  return { columns, status: statusOf(object), reconcile: generationFacts(object) };
}

function statusOf(object: unknown): StatusReport {
  const wanted = replicasOf(object);
  const created = countOf(object, "replicas");
  if (wanted === 0) return scaledToZero(created);
  if (created < wanted) return rollingOut("Creating", `${created} of ${wanted} replicas are created`);
  return rolloutOf(object, wanted) ?? availability(countOf(object, "readyReplicas"), wanted);
}

/** What a rolling update still waits for; with OnDelete an update comes whenever Pods are deleted, so nothing waits for it. */
function rolloutOf(object: unknown, wanted: number): StatusReport | undefined {
  if (textOf(object, "spec", "updateStrategy", "type") === "OnDelete") return undefined;
  const partition = integerOf(object, "spec", "updateStrategy", "rollingUpdate", "partition") ?? 0;
  const toUpdate = Math.max(0, wanted - partition);
  const updated = countOf(object, "updatedReplicas");
  const [current, next] = [textOf(object, "status", "currentRevision"), textOf(object, "status", "updateRevision")];
  if (current === next) return undefined;
  if (updated < toUpdate) return rollingOut("RollingOut", `${updated} of ${toUpdate} replicas are updated`);
  const ready = countOf(object, "readyReplicas");
  if (partition === 0 && ready < wanted) return rollingOut("RollingOut", `${ready} of ${wanted} replicas are ready`);
  return undefined;
}

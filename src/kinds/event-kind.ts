// SPDX-License-Identifier: Apache-2.0
import { createStatusReport } from "../model/status.ts";
import { fieldOf, integerOf, isObject, textOf, timeOf } from "./fields.ts";
import { type Columns, type Kind, type Projected, setColumn, setTime } from "./kind.ts";

/**
 * Events, in the shape of the core group and of `events.k8s.io` (CO5). Reason and message of the row are the event's.
 * Its status is always `completed`: the status of the object is in the object's own row.
 */
export const eventKind: Kind = {
  resource: { group: "", resource: "events" },
  kind: "Event",
  versions: ["v1"],
  isNamespaced: true,
  columns: [
    { name: "type", type: "string", isMain: true },
    { name: "objectGroup", type: "string" },
    { name: "objectKind", type: "string", isMain: true },
    { name: "objectNamespace", type: "string" },
    { name: "objectName", type: "string", isMain: true },
    { name: "objectUid", type: "string" },
    { name: "controller", type: "string", isMain: true },
    { name: "count", type: "integer", isMain: true },
    { name: "firstSeenAt", type: "integer" },
    { name: "lastSeenAt", type: "integer", isMain: true },
  ],
  project: projectEvent,
};

function projectEvent(event: unknown): Projected {
  const columns: Columns = new Map();
  const regarding = fieldOf(event, "involvedObject") ?? fieldOf(event, "regarding");
  setColumn(columns, "type", textOf(event, "type"));
  setColumn(columns, "objectGroup", groupOf(textOf(regarding, "apiVersion")));
  setColumn(columns, "objectKind", textOf(regarding, "kind"));
  setColumn(columns, "objectNamespace", textOf(regarding, "namespace"));
  setColumn(columns, "objectName", textOf(regarding, "name"));
  setColumn(columns, "objectUid", textOf(regarding, "uid"));
  setColumn(columns, "controller", controllerOf(event));
  columns.set("count", countOf(event));
  setTime(columns, "firstSeenAt", firstTime(event, [["firstTimestamp"], ["deprecatedFirstTimestamp"], ["eventTime"]]));
  setTime(
    columns,
    "lastSeenAt",
    firstTime(event, [
      ["series", "lastObservedTime"],
      ["lastTimestamp"],
      ["deprecatedLastTimestamp"],
      ["firstTimestamp"],
      ["deprecatedFirstTimestamp"],
      ["eventTime"],
    ]),
  );
  return { columns, status: createStatusReport("completed", textOf(event, "reason"), messageOf(event)) };
}

/** Reasons of kubelet events whose message may quote a container's command (KI2). The Pod's own row has the cause. */
const quotingReasons: ReadonlySet<string> = new Set(["Failed", "FailedPostStartHook", "FailedPreStopHook"]);

function messageOf(event: unknown): string | undefined {
  if (controllerOf(event) === "kubelet" && quotingReasons.has(textOf(event, "reason") ?? "")) return undefined;
  return textOf(event, "message") ?? textOf(event, "note");
}

/** The group of an apiVersion; "" for the core group, undefined where none is given. */
function groupOf(apiVersion: string | undefined): string | undefined {
  if (apiVersion === undefined) return undefined;
  const slash = apiVersion.indexOf("/");
  return slash === -1 ? "" : apiVersion.slice(0, slash);
}

/** Kubernetes leaves the newer field empty if an older recorder wrote the event. */
function controllerOf(event: unknown): string | undefined {
  const given = [
    textOf(event, "reportingComponent"),
    textOf(event, "reportingController"),
    textOf(event, "source", "component"),
    textOf(event, "deprecatedSource", "component"),
  ];
  return given.find((each) => each !== undefined && each !== "");
}

/** How often the event was seen. An event seen once may have no count. */
function countOf(event: unknown): number {
  const series = fieldOf(event, "series");
  const count = isObject(series) ? integerOf(series, "count") : undefined;
  return Math.max(1, count ?? integerOf(event, "count") ?? integerOf(event, "deprecatedCount") ?? 1);
}

/** The first of these times that is set, else the creation time. */
function firstTime(event: unknown, paths: readonly (readonly string[])[]): number {
  for (const path of paths) {
    const atMs = timeOf(event, ...path);
    if (atMs !== 0) return atMs;
  }
  return timeOf(event, "metadata", "creationTimestamp");
}

// SPDX-License-Identifier: Apache-2.0
// Conversion of events between the core group, in whose form they are stored, and events.k8s.io.
import { copyJson, type DraftObject, deleteKey, getKey, type Json, type JsonObject } from "../../json/json.ts";

/**
 * The fields of events.k8s.io/v1 in order: name, name in the core group, and the value of an absent field in each form.
 */
const fields: readonly {
  readonly name: string;
  readonly core: string;
  readonly empty?: Json;
  readonly coreEmpty?: Json;
}[] = [
  { name: "eventTime", core: "eventTime", empty: null, coreEmpty: null },
  { name: "series", core: "series" },
  { name: "reportingController", core: "reportingComponent", coreEmpty: "" },
  { name: "reportingInstance", core: "reportingInstance", coreEmpty: "" },
  { name: "action", core: "action" },
  { name: "reason", core: "reason" },
  { name: "regarding", core: "involvedObject", empty: {}, coreEmpty: {} },
  { name: "related", core: "related" },
  { name: "note", core: "message" },
  { name: "type", core: "type" },
  { name: "deprecatedSource", core: "source", empty: {}, coreEmpty: {} },
  { name: "deprecatedFirstTimestamp", core: "firstTimestamp", empty: null, coreEmpty: null },
  { name: "deprecatedLastTimestamp", core: "lastTimestamp", empty: null, coreEmpty: null },
  { name: "deprecatedCount", core: "count" },
];

/** Converts an event to events.k8s.io/v1. The result shares no objects with the original. */
export function eventV1FromCore(event: JsonObject): DraftObject {
  const made: DraftObject = { kind: "Event", apiVersion: "events.k8s.io/v1" };
  copyInto(made, "metadata", getKey(event, "metadata"));
  for (const { name, core, empty } of fields) copyInto(made, name, filled(event, core) ?? empty);
  return made;
}

/** Converts an event to the core group, the stored form. The result shares no objects with the original. */
export function coreFromEventV1(event: JsonObject): DraftObject {
  const made: DraftObject = { kind: "Event", apiVersion: "v1" };
  copyInto(made, "metadata", getKey(event, "metadata"));
  for (const { name, core, coreEmpty } of fields) copyInto(made, core, filled(event, name) ?? coreEmpty);
  return made;
}

/** The value of a field; undefined for null, 0 and the empty string. */
function filled(event: JsonObject, key: string): Json | undefined {
  const value = getKey(event, key);
  return value === null || value === "" || value === 0 ? undefined : value;
}

function copyInto(object: DraftObject, key: string, value: Json | undefined): void {
  if (value === undefined) deleteKey(object, key);
  else object[key] = copyJson(value);
}

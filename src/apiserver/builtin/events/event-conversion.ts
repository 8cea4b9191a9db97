// SPDX-License-Identifier: Apache-2.0
// Events have one storage and two shapes: that of the core group, in which they are stored, and that of events.k8s.io.
import { copyJson, type DraftObject, deleteKey, getKey, type Json, type JsonObject } from "../../json/json.ts";

/** The fields of events.k8s.io/v1 in its order: name, name in the core group, and what is printed where there is nothing. */
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

/** The event in the shape of events.k8s.io/v1. The result shares nothing with the original. */
export function eventV1FromCore(event: JsonObject): DraftObject {
  const made: DraftObject = { kind: "Event", apiVersion: "events.k8s.io/v1" };
  copyInto(made, "metadata", getKey(event, "metadata"));
  for (const { name, core, empty } of fields) copyInto(made, name, filled(event, core) ?? empty);
  return made;
}

/** The event in the shape of the core group, as it is stored. The result shares nothing with the original. */
export function coreFromEventV1(event: JsonObject): DraftObject {
  const made: DraftObject = { kind: "Event", apiVersion: "v1" };
  copyInto(made, "metadata", getKey(event, "metadata"));
  for (const { name, core, coreEmpty } of fields) copyInto(made, core, filled(event, name) ?? coreEmpty);
  return made;
}

/** The value of a field that holds something: what is empty in one shape may be left out in the other. */
function filled(event: JsonObject, key: string): Json | undefined {
  const value = getKey(event, key);
  return value === null || value === "" || value === 0 ? undefined : value;
}

function copyInto(object: DraftObject, key: string, value: Json | undefined): void {
  if (value === undefined) deleteKey(object, key);
  else object[key] = copyJson(value);
}

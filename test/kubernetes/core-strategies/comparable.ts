// SPDX-License-Identifier: Apache-2.0

import {
  copyJson,
  type Draft,
  type DraftObject,
  deleteKey,
  isList,
  isObject,
  type JsonObject,
  setKey,
} from "../../../src/apiserver/json/json.ts";
import { listAt, objectAt, textAt } from "../../../src/apiserver/json/json-fields.ts";

/**
 * The answer without what differs from run to run: uids, times, drawn names, addresses and ports, and the order in
 * which Go walks maps.
 */
export function toComparable(answer: JsonObject): JsonObject {
  const copy = copyJson(answer);
  if (textAt(copy, "kind") === "Status") return toComparableStatus(copy);
  const metadata = objectAt(copy, "metadata");
  for (const key of ["uid", "creationTimestamp", "managedFields"]) if (metadata !== undefined) deleteKey(metadata, key);
  if (metadata !== undefined && textAt(metadata, "generateName") !== undefined) metadata["name"] = "drawn";
  const spec = objectAt(copy, "spec");
  if (spec !== undefined && textAt(copy, "kind") === "Service") hideDrawn(spec);
  return replaceTexts(copy) as JsonObject;
}

function hideDrawn(spec: DraftObject): void {
  const ip = textAt(spec, "clusterIP");
  // An address that the case asked for stays, all others were drawn.
  if (ip !== undefined && ip !== "None" && ip !== "10.0.0.77") {
    spec["clusterIP"] = "drawn";
    spec["clusterIPs"] = ["drawn"];
  }
  if (spec["healthCheckNodePort"] !== undefined) spec["healthCheckNodePort"] = -1;
  for (const port of listAt(spec, "ports") ?? [])
    if (isObject(port) && port["nodePort"] !== undefined) port["nodePort"] = -1;
}

function replaceTexts(value: Draft): Draft {
  if (typeof value === "string")
    return value
      .replace(/^kube-api-access-\w{5}$/, "kube-api-access")
      .replace(/^(?:2026|1970)-[-\d]+T[:\d]+Z$/, "time");
  if (isList(value)) return value.map(replaceTexts);
  if (!isObject(value)) return value;
  const copy: DraftObject = {};
  for (const key of Object.keys(value)) setKey(copy, key, replaceTexts(value[key] ?? null));
  return copy;
}

/** Mistakes of fields with their order, except that Go walks the maps of these fields in no order. */
const walkedMaps = /^(?:data|spec\.hard)\[/;

/** A difference of specs that the real server adds in a form of Go's own. */
const goDifference = /\n.*/s;

function toComparableStatus(status: DraftObject): JsonObject {
  const details = objectAt(status, "details");
  const causes = details === undefined ? undefined : listAt(details, "causes");
  if (details === undefined || causes === undefined) return status;
  const texts = causes.map((cause) =>
    ["field", "reason", "message"].map((key) => (textAt(cause, key) ?? "").replace(goDifference, "")).join(" | "),
  );
  const isWalked = (text: string): boolean => walkedMaps.test(text);
  details["causes"] = [...texts.filter(isWalked).sort(), ...texts.filter((text) => !isWalked(text))];
  const message = textAt(status, "message") ?? "";
  status["message"] = message.slice(0, message.indexOf(" is invalid: "));
  return status;
}

// SPDX-License-Identifier: Apache-2.0
import { utf8ByteCount } from "../../../model/text.ts";
import { getKey, type Json, type JsonObject } from "../../json/json.ts";
import { countOf, objectAt, textOf } from "../../json/json-fields.ts";
import { labelKeyErrors } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { refuseAtCreation } from "../checks/creation-checks.ts";
import { immutable, isSameValue } from "../checks/field-checks.ts";
import { isSet } from "../checks/object-fields.ts";
import { eventStrategy } from "../core/event.ts";
import { invalidEach } from "../pod-spec/text-rules.ts";

// Kubernetes' limits, in bytes.
const maxShortBytes = 128;
const maxNoteBytes = 1024;

/** The selectable fields and their names in the core group, the stored form. */
const selectable: ReadonlyMap<string, string> = new Map([
  ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
    (part) => [`regarding.${part}`, `involvedObject.${part}`] as const,
  ),
  ["reason", "reason"],
  ["reportingController", "reportingComponent"],
  ["type", "type"],
]);

/** Some errors name fields of the core group: kube-apiserver validates events in that form. */
function validate(event: JsonObject): readonly FieldError[] {
  return [...validateNamespace(event), ...(isSet(event, "eventTime") ? validateReport(event) : [])];
}

/** Additional rules for events that are created through this group. */
function validateCreation(event: JsonObject): readonly FieldError[] {
  const type = textOf(event, "type");
  const source = ["component", "host"].map((key) => textOf(event, "deprecatedSource", key)).join("");
  return [
    ...validateSeries(event),
    ...(isSet(event, "eventTime") ? [] : [requiredValue("eventTime")]),
    ...(type === "Normal" || type === "Warning" ? [] : [invalidValue("type", "", `has invalid value: ${type}`)]),
    ...(isSet(event, "deprecatedFirstTimestamp") ? [needsUnset("firstTimestamp")] : []),
    ...(isSet(event, "deprecatedLastTimestamp") ? [needsUnset("lastTimestamp")] : []),
    ...(countOf(event, "deprecatedCount") === 0 ? [] : [needsUnset("count")]),
    ...(source === "" ? [] : [needsUnset("source")]),
  ];
}

function needsUnset(field: string): FieldError {
  return invalidValue(field, "", "needs to be unset");
}

function validateNamespace(event: JsonObject): readonly FieldError[] {
  const namespace = textOf(event, "metadata", "namespace");
  const about = textOf(event, "regarding", "namespace");
  const homes = isSet(event, "eventTime") ? ["default", "kube-system"] : ["default", ""];
  const isHome = about === "" && homes.includes(namespace);
  const isSame = about !== "" && (isSet(event, "eventTime") || about === namespace);
  if (isHome || isSame) return [];
  return [invalidValue("involvedObject.namespace", about, "does not match event.namespace")];
}

function validateReport(event: JsonObject): readonly FieldError[] {
  const controller = textOf(event, "reportingController");
  const short = (key: string): readonly FieldError[] => {
    const text = textOf(event, key);
    return [...(text === "" ? [requiredValue(key)] : []), ...atMost(text, maxShortBytes, key)];
  };
  return [
    ...(controller === "" ? [requiredValue("reportingController")] : []),
    ...invalidEach("reportingController", controller, labelKeyErrors(controller)),
    ...short("reportingInstance"),
    ...short("action"),
    ...short("reason"),
    ...atMost(textOf(event, "note"), maxNoteBytes, "message"),
  ];
}

function atMost(text: string, maxBytes: number, field: string): readonly FieldError[] {
  if (utf8ByteCount(text) <= maxBytes) return [];
  return [invalidValue(field, "", `can have at most ${maxBytes} characters`)];
}

function validateSeries(event: JsonObject): readonly FieldError[] {
  const series = objectAt(event, "series");
  if (series === undefined) return [];
  return [
    ...(countOf(series, "count") < 2 ? [invalidValue("series.count", "", "should be at least 2")] : []),
    ...(isSet(series, "lastObservedTime") ? [] : [requiredValue("series.lastObservedTime")]),
  ];
}

/** All fields but metadata and the series are immutable. */
function validateUpdate(event: JsonObject, old: JsonObject): readonly FieldError[] {
  const unchanged = (name: string, core = name): readonly FieldError[] =>
    immutable(getKey(event, name), getKey(old, name), core);
  const shown = (name: string, core: string, show: (value: JsonObject) => Json): readonly FieldError[] => {
    const [now, before] = [objectAt(event, name), objectAt(old, name)];
    return immutable(now && show(now), before && show(before), core);
  };
  return [
    ...(isSameValue(getKey(event, "series"), getKey(old, "series")) ? [] : validateSeries(event)),
    ...shown("regarding", "involvedObject", shownReference),
    ...unchanged("reason"),
    ...unchanged("note", "message"),
    ...shown("deprecatedSource", "source", shownSource),
    ...unchanged("deprecatedFirstTimestamp", "firstTimestamp"),
    ...unchanged("deprecatedLastTimestamp", "lastTimestamp"),
    ...unchanged("deprecatedCount", "count"),
    ...unchanged("reason"),
    ...unchanged("type"),
    ...unchanged("eventTime"),
    ...unchanged("action"),
    ...shown("related", "related", shownReference),
    ...unchanged("reportingController"),
    ...unchanged("reportingInstance"),
  ];
}

/** Error messages print kube-apiserver's internal form. */
function shownReference(reference: JsonObject): Json {
  return {
    Kind: textOf(reference, "kind"),
    Namespace: textOf(reference, "namespace"),
    Name: textOf(reference, "name"),
    UID: textOf(reference, "uid"),
    APIVersion: textOf(reference, "apiVersion"),
    ResourceVersion: textOf(reference, "resourceVersion"),
    FieldPath: textOf(reference, "fieldPath"),
  };
}

function shownSource(source: JsonObject): Json {
  return { Component: textOf(source, "component"), Host: textOf(source, "host") };
}

/** Events of the group events.k8s.io. They are stored in the form of the core group (`coreFromEventV1`). */
export const eventV1Strategy: Strategy = {
  prepareForCreate(event) {
    const kind = { group: "", kind: "Event" };
    refuseAtCreation(kind, event, { always: () => validate(event), atCreation: validateCreation(event) });
  },
  validate,
  validateUpdate,
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: true,
  selectableFields(stored) {
    const values = eventStrategy.selectableFields?.(stored) ?? {};
    return Object.fromEntries([...selectable].map(([name, core]) => [name, values[core] ?? ""]));
  },
  selectableFieldNames: [...selectable.keys()],
};

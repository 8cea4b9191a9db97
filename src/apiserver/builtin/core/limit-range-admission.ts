// SPDX-License-Identifier: Apache-2.0
// LimitRange admission of new Pods and claims: sets missing requests and limits, and refuses values out of bounds.

import { type DraftObject, ensureObject, type JsonObject, setKey } from "../../json/json.ts";
import { objectAt, objectsAt, textOf } from "../../json/json-fields.ts";
import { sortedKeys } from "../../metadata/label-rules.ts";
import type { ObjectReader } from "../../resources/object-reader.ts";
import { compareQuantities, quantityNanos } from "../pod-spec/quantity-value.ts";
import { refusedByAdmission } from "./admission-refusal.ts";
import { podTotal } from "./pod-totals.ts";

/** Lists the requests and limits that a LimitRange set. */
const annotation = "kubernetes.io/limit-ranger";

/** Sets missing requests and limits of a new Pod's containers from the LimitRanges of its namespace. */
export function setLimitRangeDefaults(pod: DraftObject, objects: ObjectReader): void {
  const spec = ensureObject(pod, "spec");
  for (const range of rangesOf(pod, objects)) {
    const limits = objectsAt(range, "spec", "limits").filter((limit) => textOf(limit, "type") === "Container");
    const changes = [
      ...objectsAt(spec, "containers").flatMap((container) => fillContainer(container, limits, "container")),
      ...objectsAt(spec, "initContainers").flatMap((container) => fillContainer(container, limits, "init container")),
    ];
    if (changes.length > 0)
      ensureObject(ensureObject(pod, "metadata"), "annotations")[annotation] =
        `LimitRanger plugin set: ${changes.join("; ")}`;
  }
}

/** Throws an ApiError for a Pod whose requests or limits are outside the bounds of its namespace. */
export function refuseBeyondLimits(pod: JsonObject, objects: ObjectReader): void {
  const spec = objectAt(pod, "spec") ?? {};
  const containers = [...objectsAt(spec, "containers"), ...objectsAt(spec, "initContainers")];
  refuseFirst("pods", pod, objects, (limit) => {
    const type = textOf(limit, "type");
    if (type === "Container")
      return containers.flatMap((container) =>
        limitErrors(limit, type, (list, name) => {
          const amount = textOf(container, "resources", list, name);
          return amount === "" ? undefined : amount;
        }),
      );
    return type === "Pod" ? limitErrors(limit, type, (list, name) => podTotal(spec, list, name)) : [];
  });
}

/** Throws an ApiError for a claim whose storage request is outside the bounds of its namespace. */
export function refuseClaimBeyondLimits(claim: JsonObject, objects: ObjectReader): void {
  refuseFirst("persistentvolumeclaims", claim, objects, (limit) => {
    if (textOf(limit, "type") !== "PersistentVolumeClaim") return [];
    const amountOf = (_list: string, name: string): string | undefined => {
      const amount = textOf(claim, "spec", "resources", "requests", name);
      return amount === "" ? undefined : amount;
    };
    const min = objectAt(limit, "min") ?? {};
    const max = objectAt(limit, "max") ?? {};
    const type = "PersistentVolumeClaim";
    return [
      ...sortedKeys(min).flatMap((name) =>
        belowMinimum(name, textOf(min, name), type, { request: amountOf("", name) }),
      ),
      ...sortedKeys(max).flatMap((name) => {
        const request = amountOf("", name);
        const bound = `maximum ${name} usage per ${type} is ${textOf(max, name)}`;
        if (request === undefined) return [`${bound}.  No request is specified`];
        return compareQuantities(request, textOf(max, name)) > 0 ? [`${bound}, but request is ${request}`] : [];
      }),
    ];
  });
}

function rangesOf(object: JsonObject, objects: ObjectReader): readonly JsonObject[] {
  return objects.list("limitranges", textOf(object, "metadata", "namespace"));
}

function refuseFirst(
  resource: string,
  object: JsonObject,
  objects: ObjectReader,
  errorsOf: (limit: JsonObject) => readonly string[],
): void {
  for (const range of rangesOf(object, objects)) {
    const sentences = [...new Set(objectsAt(range, "spec", "limits").flatMap(errorsOf))];
    if (sentences.length === 0) continue;
    const because = sentences.length === 1 ? (sentences[0] ?? "") : `[${sentences.join(", ")}]`;
    throw refusedByAdmission(resource, object, because);
  }
}

/** Sets missing requests and limits of the container. Returns a description of each change. */
function fillContainer(container: DraftObject, limits: readonly JsonObject[], kind: string): readonly string[] {
  const fill = (list: string, defaults: string): readonly string[] => {
    const set: string[] = [];
    for (const limit of limits)
      for (const name of sortedKeys(objectAt(limit, defaults) ?? {})) {
        if (textOf(container, "resources", list, name) !== "") continue;
        setKey(ensureObject(ensureObject(container, "resources"), list), name, textOf(limit, defaults, name));
        set.push(name);
      }
    return set.sort();
  };
  const setLimits = fill("limits", "default");
  const setRequests = fill("requests", "defaultRequest");
  const name = textOf(container, "name");
  return [
    ...(setRequests.length === 0 ? [] : [`${setRequests.join(", ")} request for ${kind} ${name}`]),
    ...(setLimits.length === 0 ? [] : [`${setLimits.join(", ")} limit for ${kind} ${name}`]),
  ];
}

type AmountReader = (list: "requests" | "limits", name: string) => string | undefined;

interface Asked {
  readonly request: string | undefined;
  readonly limit?: string | undefined;
}

function limitErrors(limit: JsonObject, type: string, amountOf: AmountReader): readonly string[] {
  const asked = (name: string): Asked => ({ request: amountOf("requests", name), limit: amountOf("limits", name) });
  const each = (
    list: string,
    rule: (name: string, bound: string, type: string, asked: Asked) => readonly string[],
  ): readonly string[] => {
    const bounds = objectAt(limit, list) ?? {};
    return sortedKeys(bounds).flatMap((name) => rule(name, textOf(bounds, name), type, asked(name)));
  };
  return [...each("min", belowMinimum), ...each("max", aboveMaximum), ...each("maxLimitRequestRatio", aboveRatio)];
}

function belowMinimum(name: string, bound: string, type: string, { request, limit }: Asked): readonly string[] {
  const sentence = `minimum ${name} usage per ${type} is ${bound}`;
  if (request === undefined) return [`${sentence}.  No request is specified`];
  if (compareQuantities(request, bound) < 0) return [`${sentence}, but request is ${request}`];
  const isLow = limit !== undefined && compareQuantities(limit, bound) < 0;
  return isLow ? [`${sentence}, but limit is ${limit}`] : [];
}

function aboveMaximum(name: string, bound: string, type: string, { request, limit }: Asked): readonly string[] {
  const sentence = `maximum ${name} usage per ${type} is ${bound}`;
  if (limit === undefined) return [`${sentence}.  No limit is specified`];
  if (compareQuantities(limit, bound) > 0) return [`${sentence}, but limit is ${limit}`];
  const isHigh = request !== undefined && compareQuantities(request, bound) > 0;
  return isHigh ? [`${sentence}, but request is ${request}`] : [];
}

function aboveRatio(name: string, bound: string, type: string, { request, limit }: Asked): readonly string[] {
  const sentence = `${name} max limit to request ratio per ${type} is ${bound}`;
  const [requested = 0n, limited = 0n] = [request, limit].map((amount) => quantityNanos(amount ?? "0"));
  if (requested === 0n) return [`${sentence}, but no request is specified or request is 0`];
  if (limited === 0n) return [`${sentence}, but no limit is specified or limit is 0`];
  const ratio = Number(limited) / Number(requested);
  if (ratio <= Number(quantityNanos(bound) ?? 0n) / 1e9) return [];
  return [`${sentence}, but provided ratio is ${ratio.toFixed(6)}`];
}

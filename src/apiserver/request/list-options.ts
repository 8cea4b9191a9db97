// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import { type FieldSelector, parseFieldSelector } from "../../model/selectors/field-selector.ts";
import type { LabelSelector } from "../../model/selectors/label-selector.ts";
import { parseLabelSelector } from "../../model/selectors/label-selector-parse.ts";
import { quoteGo } from "../json/quote-go.ts";
import { badRequest, invalid } from "../status/api-error.ts";
import { type FieldError, forbiddenField, notSupportedValue } from "../status/field-error.ts";
import { fieldSelectorProblem } from "./field-selector-problem.ts";
import { labelSelectorProblem } from "./label-selector-problem.ts";

/** Options of a list or watch, validated as in kube-apiserver. */
export interface ListOptions {
  readonly isWatch: boolean;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: string;
  /** As given: empty, or decimal digits. */
  readonly resourceVersion: string;
  readonly match: "" | "Exact" | "NotOlderThan";
  readonly wantsBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
}

/** Parses list options from the query. Throws kube-apiserver's 400 or 422. */
export function parseListOptions(query: URLSearchParams): ListOptions {
  const isWatch = parseBoolean(query, "watch") ?? false;
  const sendInitialEvents = parseBoolean(query, "sendInitialEvents");
  const match = query.get("resourceVersionMatch") ?? "";
  const options: ListOptions = {
    isWatch,
    limit: parseInteger(query, "limit") ?? 0,
    timeoutSeconds: parseInteger(query, "timeoutSeconds"),
    labels: parseLabels(query.get("labelSelector") ?? ""),
    fields: parseFields(query.get("fieldSelector") ?? ""),
    continueToken: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    match: match === "Exact" || match === "NotOlderThan" ? match : "",
    wantsBookmarks: parseBoolean(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents,
  };
  const errors = isWatch ? watchErrors(match, options) : listErrors(match, options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  return options;
}

function watchErrors(match: string, options: ListOptions): readonly FieldError[] {
  const { sendInitialEvents, continueToken, resourceVersion } = options;
  const field = "resourceVersionMatch";
  const errors: FieldError[] = [];
  // kube-apiserver sets sendInitialEvents for a watch without a version, so the rules for it apply.
  const isFromStart = sendInitialEvents === undefined && (resourceVersion === "" || resourceVersion === "0");
  if (match === "" && isFromStart && continueToken !== "")
    return [forbiddenField(field, "resourceVersionMatch is forbidden when continue is provided")];
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    errors.push(forbiddenField(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  if (match === "") return errors;
  if (sendInitialEvents === undefined)
    errors.push(
      forbiddenField(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
    );
  if (match !== "NotOlderThan") errors.push(notSupportedValue(field, match, ["NotOlderThan"]));
  if (continueToken !== "")
    errors.push(forbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"));
  return errors;
}

function listErrors(match: string, options: ListOptions): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (options.resourceVersion === "")
      errors.push(
        forbiddenField("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    if (options.continueToken !== "")
      errors.push(
        forbiddenField("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"),
      );
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(notSupportedValue("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && options.resourceVersion === "0")
      errors.push(
        forbiddenField("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

/** As Go parses query values: everything except `false` and `0` is true, including the empty text. */
export function parseBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text.toLowerCase() !== "false" && text !== "0";
}

/** Parses a signed 64-bit integer, capped to the largest safe integer of a double. */
export function parseInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quoteGo(text)}: invalid syntax`);
  const value = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value)
    throw badRequest(`strconv.ParseInt: parsing ${quoteGo(text)}: value out of range`);
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}

function parseLabels(text: string): LabelSelector {
  try {
    return parseLabelSelector(text);
  } catch (reason) {
    if (!hasCode(reason, "INVALID_ARGUMENT")) throw reason;
    throw badRequest(labelSelectorProblem(text));
  }
}

function parseFields(text: string): FieldSelector {
  try {
    return parseFieldSelector(text);
  } catch (reason) {
    if (!hasCode(reason, "INVALID_ARGUMENT")) throw reason;
    throw badRequest(fieldSelectorProblem(text));
  }
}

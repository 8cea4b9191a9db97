// SPDX-License-Identifier: Apache-2.0
import {
  type DraftObject,
  ensureObject,
  getKey,
  isList,
  isObject,
  type JsonObject,
} from "../../apiserver/json/json.ts";
import { textAt } from "../../apiserver/json/json-fields.ts";
import { formatTime } from "../../apiserver/schema-decode/go-time.ts";

/** A condition without its times. An absent reason equals an empty one. */
export interface ConditionValue {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
}

/**
 * Sets a condition in `object.status`. The transition time changes only with the status. `timesOfUpdate` (such as
 * `lastUpdateTime`) are set when anything changed. `more` are further fields of the condition. Nothing is written if
 * nothing differs.
 */
export function setCondition(
  object: DraftObject,
  condition: ConditionValue,
  nowMs: number,
  options: { readonly timesOfUpdate?: readonly string[]; readonly more?: JsonObject } = {},
): void {
  const status = ensureObject(object, "status");
  const found = getKey(status, "conditions");
  const conditions = isList(found) ? found : [];
  const at = conditions.findIndex((each) => isObject(each) && textAt(each, "type") === condition.type);
  const before = conditions[at];
  const old = isObject(before) ? before : {};
  const isSame =
    textAt(old, "status") === condition.status &&
    (textAt(old, "reason") ?? "") === (condition.reason ?? "") &&
    (textAt(old, "message") ?? "") === (condition.message ?? "") &&
    Object.entries(options.more ?? {}).every(([key, value]) => getKey(old, key) === value);
  if (isSame) return;
  const nowText = formatTime(nowMs);
  const isTransition = textAt(old, "status") !== condition.status;
  const set: DraftObject = {
    ...old,
    type: condition.type,
    status: condition.status,
    lastTransitionTime: isTransition ? nowText : (textAt(old, "lastTransitionTime") ?? nowText),
    ...(options.more as DraftObject | undefined),
  };
  for (const key of options.timesOfUpdate ?? []) set[key] = nowText;
  for (const key of ["reason", "message"] as const) {
    const text = condition[key];
    if (text === undefined || text === "") delete set[key];
    else set[key] = text;
  }
  if (at === -1) conditions.push(set);
  else conditions[at] = set;
  status["conditions"] = conditions;
}

/** Removes a condition from `object.status`. */
export function dropCondition(object: DraftObject, type: string): void {
  const status = ensureObject(object, "status");
  const found = getKey(status, "conditions");
  if (!isList(found)) return;
  const kept = found.filter((each) => !isObject(each) || textAt(each, "type") !== type);
  if (kept.length === 0) delete status["conditions"];
  else status["conditions"] = kept;
}

// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { objectOf } from "../checks/field-checks.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";
import { firstCommonIndex, parseIndexes } from "./index-ranges.ts";
import { isChanged } from "./job-conditions.ts";

/** Validates the completed and failed indexes in the status of a Job. */
export function validateIndexStatus(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const spec = objectOf(object, "spec");
  const status = objectOf(object, "status");
  const completions = pointedNumber(spec, "completions");
  const completed = textOf(status, "completedIndexes");
  const failed = getKey(status, "failedIndexes");
  const completedChanged = isChanged(object, old, "completedIndexes");
  const failedChanged = isChanged(object, old, "failedIndexes");
  const errors: FieldError[] = [];
  if (completedChanged && completions !== undefined)
    errors.push(...wrongIndexes("completedIndexes", completed, Number(completions)));
  if (failedChanged && completions !== undefined && typeof failed === "string" && isSet(spec, "backoffLimitPerIndex"))
    errors.push(...wrongIndexes("failedIndexes", failed, Number(completions)));
  if (completedChanged && completed !== "" && getKey(spec, "completionMode") !== "Indexed")
    errors.push(
      invalidValue(
        "status.completedIndexes",
        completed,
        "cannot set non-empty completedIndexes when non-indexed completion mode",
      ),
    );
  if (failedChanged && typeof failed === "string" && !isSet(spec, "backoffLimitPerIndex"))
    errors.push(
      invalidValue(
        "status.failedIndexes",
        failed,
        "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
      ),
    );
  if ((failedChanged || completedChanged) && completions !== undefined && typeof failed === "string")
    errors.push(...overlap(completed, failed, Number(completions)));
  return errors;
}

function wrongIndexes(name: string, text: string, completions: number): readonly FieldError[] {
  const parsed = parseIndexes(text, completions);
  return typeof parsed === "string" ? [invalidValue(`status.${name}`, text, `error parsing ${name}: ${parsed}`)] : [];
}

function overlap(completed: string, failed: string, completions: number): readonly FieldError[] {
  const done = parseIndexes(completed, completions);
  const lost = parseIndexes(failed, completions);
  if (typeof done === "string" || typeof lost === "string") return [];
  const index = firstCommonIndex(done.ranges, lost.ranges);
  if (index === undefined) return [];
  return [
    invalidValue("status.failedIndexes", failed, `failedIndexes and completedIndexes overlap at index: ${index}`),
  ];
}

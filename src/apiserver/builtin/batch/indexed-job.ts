// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../json/json.ts";
import { type FieldError, invalidValue, requiredValue } from "../../status/field-error.ts";
import { isSet, pointedNumber } from "../checks/object-fields.ts";

// Kubernetes' limits: with more, the indexes would not fit in the status of a Job.
const maxParallelism = 100_000;
const maxFailed = 100_000;
const manyCompletions = 100_000;
const maxParallelismForMany = 10_000;
const maxFailedForMany = 10_000;

/** Validates the limits that apply only to an Indexed Job. */
export function validateIndexedJob(spec: JsonObject, field: string): readonly FieldError[] {
  const completions = pointedNumber(spec, "completions");
  const parallelism = pointedNumber(spec, "parallelism");
  const failed = pointedNumber(spec, "maxFailedIndexes");
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(requiredValue(`${field}.completions`, "when completion mode is Indexed"));
  if (parallelism !== undefined && parallelism > maxParallelism)
    errors.push(
      invalidValue(
        `${field}.parallelism`,
        parallelism,
        `must be less than or equal to ${maxParallelism} when completion mode is Indexed`,
      ),
    );
  if (completions !== undefined && failed !== undefined && failed > completions)
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, "must be less than or equal to completions"));
  if (failed !== undefined && failed > maxFailed)
    errors.push(invalidValue(`${field}.maxFailedIndexes`, failed, `must be less than or equal to ${maxFailed}`));
  if (completions !== undefined && completions > manyCompletions && isSet(spec, "backoffLimitPerIndex"))
    errors.push(...validateManyCompletions(spec, field));
  return errors;
}

function validateManyCompletions(spec: JsonObject, field: string): readonly FieldError[] {
  const parallelism = pointedNumber(spec, "parallelism");
  const failed = pointedNumber(spec, "maxFailedIndexes");
  const when = `when completions are above ${manyCompletions} and used with backoff limit per index`;
  const atMost = (name: string, value: number | bigint | undefined, max: number): readonly FieldError[] =>
    value === undefined || value <= max
      ? []
      : [invalidValue(`${field}.${name}`, value, `must be less than or equal to ${max} ${when}`)];
  return [
    ...(failed === undefined
      ? [requiredValue(`${field}.maxFailedIndexes`, `must be specified when completions is above ${manyCompletions}`)]
      : []),
    ...atMost("parallelism", parallelism, maxParallelismForMany),
    ...atMost("maxFailedIndexes", failed, maxFailedForMany),
  ];
}

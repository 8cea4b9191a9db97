// SPDX-License-Identifier: Apache-2.0
import { countOf, getKey, type JsonObject } from "../../json/json.ts";
import { objectOf } from "../checks/field-checks.ts";
import { podSpecWarnings } from "../pod-spec/pod-spec-warnings.ts";

// Kubernetes warns above these numbers: the status might be too small for the indexes.
const manyCompletions = 100_000;
const manyAtOnce = 10_000;

/** Warnings about a Job spec, in a Job or a CronJob. */
export function jobSpecWarnings(spec: JsonObject, field: string): readonly string[] {
  const isHuge =
    getKey(spec, "completionMode") === "Indexed" &&
    countOf(spec, "completions") > manyCompletions &&
    countOf(spec, "parallelism") > manyAtOnce;
  const text =
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";
  return [
    ...(isHuge ? [`${field}: ${text}`] : []),
    ...podSpecWarnings(objectOf(spec, "template"), `${field}.template`),
  ];
}

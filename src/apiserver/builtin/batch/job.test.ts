// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../base/random.ts";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import { objectAt, valueAt } from "../../json/json-fields.ts";
import type { WriteContext } from "../../resources/strategy.ts";
import { toSentence } from "../../status/field-error.ts";
import { jobStrategy } from "./job.ts";

const context: WriteContext = {
  nowMs: 0,
  random: createSeededRandom(1),
  userName: "u",
  objects: { get: () => undefined, list: () => [] },
};

function createJob(spec: JsonObject = {}, metadata: JsonObject = {}): DraftObject {
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  const object = copyJson({ metadata: { name: "j", uid: "u-1", ...metadata }, spec: { template, ...spec } });
  jobStrategy.setDefaults?.(object);
  jobStrategy.prepareForCreate?.(object, context);
  return object;
}

const generated = {
  "batch.kubernetes.io/controller-uid": "u-1",
  "batch.kubernetes.io/job-name": "j",
  "controller-uid": "u-1",
  "job-name": "j",
};

test("a Job gets a selector by its uid, and labels under both names", () => {
  const job = createJob();
  expect(valueAt(job, "spec", "selector")).toEqual({ matchLabels: { "batch.kubernetes.io/controller-uid": "u-1" } });
  expect(valueAt(job, "spec", "template", "metadata", "labels")).toEqual({ app: "web", ...generated });
  expect(jobStrategy.validate?.(job)).toEqual([]);
});

test("a Job without labels takes over those of its template, and then has its own", () => {
  const job = createJob();
  const labels = objectAt(job, "metadata", "labels");
  expect(labels).toEqual({ app: "web", ...generated });
  expect(labels).not.toBe(objectAt(job, "spec", "template", "metadata", "labels"));
});

test("a Job with labels keeps them", () => {
  expect(valueAt(createJob({}, { labels: { a: "b" } }), "metadata", "labels")).toEqual({ a: "b" });
});

test("a manual selector is left alone", () => {
  const job = createJob({ manualSelector: true, selector: { matchLabels: { app: "web" } } });
  expect(valueAt(job, "spec", "template", "metadata", "labels")).toEqual({ app: "web" });
});

test.each<[JsonObject, JsonObject]>([
  [{}, { completions: 1, parallelism: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: false }],
  [{ parallelism: 3 }, { parallelism: 3, podReplacementPolicy: "TerminatingOrFailed" }],
  [{ backoffLimitPerIndex: 1 }, { backoffLimit: 2_147_483_647 }],
  [{ podFailurePolicy: { rules: [] } }, { podReplacementPolicy: "Failed" }],
])("the spec %j gets the defaults %j", (spec, expected) => {
  expect(createJob(spec)["spec"]).toMatchObject(expected);
});

test("a work queue has no number of completions", () => {
  expect(valueAt(createJob({ parallelism: 3 }), "spec", "completions")).toBeUndefined();
});

test("Jobs are selected by how many of their Pods succeeded", () => {
  const job = { ...createJob(), status: { succeeded: 2 } };
  expect(jobStrategy.selectableFields?.(job)).toEqual({ "status.successful": "2" });
});

function statusErrors(before: JsonObject, after: JsonObject, spec: JsonObject = {}): readonly string[] {
  const job = createJob(spec);
  const errors = jobStrategy.validateStatusUpdate?.({ ...job, status: after }, { ...job, status: before }) ?? [];
  return errors.map(toSentence);
}

const time = "2024-01-01T00:00:00Z";
const done = {
  startTime: time,
  completionTime: time,
  succeeded: 1,
  conditions: [
    { type: "SuccessCriteriaMet", status: "True" },
    { type: "Complete", status: "True" },
  ],
};

test.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ["a finished Job stays as it is", done, done, []],
  [
    "an end cannot be undone",
    done,
    { startTime: time, succeeded: 1 },
    [
      "status.conditions: Invalid value: cannot disable the terminal Complete=True condition",
      "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
    ],
  ],
  [
    "counts do not fall",
    { failed: 2, succeeded: 2 },
    { failed: 1, succeeded: 1 },
    [
      "status.failed: Invalid value: 1: cannot decrease the failed counter",
      "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter",
    ],
  ],
  [
    "the times of a running Job stay",
    { startTime: time },
    { startTime: "2024-01-02T00:00:00Z" },
    ['status.startTime: Invalid value: "2024-01-02T00:00:00Z": field is immutable for unsuspended job once set'],
  ],
  [
    "a Pod is counted once",
    {},
    { uncountedTerminatedPods: { succeeded: ["a", ""], failed: ["a"] } },
    [
      'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
  ],
])("%s", (_name, before, after, expected) => {
  expect(statusErrors(before, after)).toEqual(expected);
});

test("an index cannot both fail and succeed", () => {
  const spec = { completionMode: "Indexed", completions: 5, backoffLimitPerIndex: 1 };
  expect(statusErrors({}, { completedIndexes: "0-2", failedIndexes: "2,4" }, spec)).toEqual([
    'status.failedIndexes: Invalid value: "2,4": failedIndexes and completedIndexes overlap at index: 2',
  ]);
});

// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { applicationSetKind as kind } from "./application-set-kind.ts";
import { argoSamples } from "./testing/samples.ts";

test("[L18] an ApplicationSet's row has project, repository and counts, not what its generators hold", () => {
  expect(columnsOf(kind, rowOf(kind, argoSamples.applicationSet))).toEqual({
    project: "default",
    repository: "https://git.example/apps",
    generatorCount: 2,
    applicationCount: 2,
  });
});

const condition = (type: string, status: string) => ({ type, status, reason: type, message: "m" });

test.each([
  [[], ["progressing", "NotReconciledYet"]],
  [[condition("ErrorOccurred", "True")], ["unhealthy", "ErrorOccurred"]],
  [
    [condition("ErrorOccurred", "True"), condition("ResourcesUpToDate", "True")],
    ["unhealthy", "ErrorOccurred"],
  ],
  [
    [condition("ErrorOccurred", "False"), condition("ResourcesUpToDate", "True")],
    ["healthy", "ResourcesUpToDate"],
  ],
  [[condition("ResourcesUpToDate", "False")], ["progressing", "ResourcesUpToDate"]],
])("[KI9] conditions %j are one status", (conditions, expected) => {
  const row = rowOf(kind, { metadata: sampleMetadata("a"), status: { conditions } });
  expect([row.status, row.reason]).toEqual(expected);
});

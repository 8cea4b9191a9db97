// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { rowOf } from "../testing/sample-rows.ts";
import { kustomizationKind } from "./kustomization-kind.ts";
import { helmRepositoryKind } from "./source-kinds.ts";

const condition = (type: string, status: string, reason = "R", message = "m") => ({ type, status, reason, message });
const ready = (status: string, reason?: string) => condition("Ready", status, reason);
const retrying = condition("Reconciling", "True", "ProgressingWithRetry");

test.each([
  ["[CO16] nothing yet", {}, undefined, ["progressing", "NotReconciledYet"]],
  ["[CO16] Flux's empty status", {}, { observedGeneration: -1 }, ["progressing", "NotReconciledYet"]],
  [
    "[CO16] an older generation",
    {},
    { observedGeneration: 1, conditions: [ready("True")] },
    ["progressing", "GenerationBehind"],
  ],
  ["[KI10] Ready", {}, { observedGeneration: 2, conditions: [ready("True")] }, ["healthy", "R"]],
  ["[KI10] not Ready", {}, { conditions: [ready("False", "BuildFailed")] }, ["unhealthy", "BuildFailed"]],
  ["[KI10] Ready unknown", {}, { conditions: [ready("Unknown", "Progressing")] }, ["progressing", "Progressing"]],
  ["[KI10] Stalled", {}, { conditions: [ready("False"), condition("Stalled", "True", "S")] }, ["unhealthy", "S"]],
  [
    "[KI10] a new revision under way",
    {},
    { conditions: [ready("True"), retrying] },
    ["progressing", "ProgressingWithRetry"],
  ],
  [
    "[KI9] a failure that is tried again, which is no progress",
    {},
    { conditions: [retrying, ready("False", "BuildFailed")] },
    ["unhealthy", "BuildFailed"],
  ],
  [
    "[KI9] a dependency that is not ready, which is no failure",
    {},
    { conditions: [ready("False", "DependencyNotReady")] },
    ["progressing", "DependencyNotReady"],
  ],
  ["[KI12] suspend", { suspend: true }, { conditions: [ready("True")] }, ["suspended", "Suspended"]],
  ["[KI12] suspend before it was ever seen", { suspend: true }, undefined, ["suspended", "Suspended"]],
  [
    "[KI12] suspend, which Flux never observes",
    { suspend: true },
    { observedGeneration: 1, conditions: [ready("False")] },
    ["suspended", "Suspended"],
  ],
  ["[KI12] suspend false", { suspend: false }, { conditions: [ready("True")] }, ["healthy", "R"]],
])("%s decides", (_what, spec, status, expected) => {
  const row = rowOf(kustomizationKind, { metadata: { ...sampleMetadata("a"), generation: 2 }, spec, status });
  expect([row.status, row.reason]).toEqual(expected);
});

test.each([
  ["oci", undefined, "healthy"],
  ["oci", { observedGeneration: -1 }, "healthy"],
  ["oci", { conditions: [ready("False")] }, "unhealthy"],
  ["oci", { observedGeneration: 0, conditions: [ready("True")] }, "progressing"],
  ["default", undefined, "progressing"],
])("[KI11] a HelmRepository of type %s with status %j is %s", (type, status, expected) => {
  expect(rowOf(helmRepositoryKind, { metadata: sampleMetadata("a"), spec: { type }, status }).status).toBe(expected);
});

test("[L18] a credential in a long message is gone before the message is cut", () => {
  const url = `https://bot:${"s".repeat(2000)}@git.example/a`;
  const conditions = [condition("Ready", "False", "R", `cannot clone ${url}`)];
  expect(rowOf(kustomizationKind, { metadata: sampleMetadata("a"), status: { conditions } }).message).toBe(
    "cannot clone https://git.example/a",
  );
});

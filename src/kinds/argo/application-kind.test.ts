// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata } from "../testing/kind-sample.ts";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { applicationKind as kind } from "./application-kind.ts";
import { argoSamples } from "./testing/samples.ts";

test("[L18] an Application's row has all its sources without credentials, destination, verdicts and automation", () => {
  expect(columnsOf(kind, rowOf(kind, argoSamples.application))).toEqual({
    project: "default",
    repository: "https://git.example/apps",
    path: "payments",
    targetRevision: "main",
    sources: [
      { repository: "https://git.example/apps", path: "payments", targetRevision: "main", ref: "values" },
      { repository: "registry.example/charts", chart: "payments", targetRevision: "1.2.3" },
    ],
    destinationServer: "https://kubernetes.default.svc",
    destinationNamespace: "payments",
    sync: "Unknown",
    health: "Healthy",
    revision: "abc",
    revisions: ["abc", "1.2.3"],
    operationPhase: "Succeeded",
    automated: true,
    prune: true,
    selfHeal: false,
  });
});

test("an Application of one source is told in columns of its own", () => {
  const spec = {
    source: { repoURL: "git@git.example:apps.git", chart: "web", targetRevision: "2.0" },
    destination: { name: "eu-1" },
  };
  const status = { sync: { status: "Synced", revision: "abc" }, health: { status: "Healthy" } };
  expect(columnsOf(kind, rowOf(kind, { metadata: sampleMetadata("a"), spec, status }))).toEqual({
    repository: "git.example:apps.git",
    chart: "web",
    targetRevision: "2.0",
    destinationName: "eu-1",
    sync: "Synced",
    health: "Healthy",
    revision: "abc",
    automated: false,
  });
});

test("where an Application has both forms of sources, several go before a single one", () => {
  const spec = { source: { repoURL: "https://a.example" }, sources: [{ repoURL: "https://b.example" }] };
  const row = rowOf(kind, { metadata: sampleMetadata("a"), spec });
  expect(row.columns.get("repository")).toBe("https://b.example");
});

test.each([
  [undefined, false],
  [{}, true],
  [{ enabled: false }, false],
  [{ enabled: true }, true],
])("automated: %j is automated: %j", (automated, expected) => {
  const row = rowOf(kind, { metadata: sampleMetadata("a"), spec: { syncPolicy: { automated } } });
  expect(row.columns.get("automated")).toBe(expected);
});

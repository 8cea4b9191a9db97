// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { kustomizationKind as kind } from "./kustomization-kind.ts";
import { fluxSamples } from "./testing/samples.ts";

test("a Kustomization's row has its source, path, revisions, target and what it depends on", () => {
  const row = rowOf(kind, fluxSamples.kustomization);
  expect(columnsOf(kind, row)).toEqual({
    source: "GitRepository/flux-system/fleet",
    path: "./regions/eu",
    appliedRevision: "main@sha1:aaa",
    attemptedRevision: "main@sha1:bbb",
    interval: "10m",
    suspend: false,
    ready: "False",
    readyMessage: "unable to clone 'https://git.example/fleet': denied",
    prune: true,
    targetNamespace: "shop",
    dependsOn: ["flux-system/infrastructure", "shop/crds"],
  });
  expect([row.status, row.message]).toEqual(["unhealthy", "unable to clone 'https://git.example/fleet': denied"]);
});

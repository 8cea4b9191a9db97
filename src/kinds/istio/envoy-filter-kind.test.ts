// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { sampleMetadata, secretMarker } from "../testing/kind-sample.ts";
import { columnsOf, rowOf, rowText } from "../testing/sample-rows.ts";
import { envoyFilterKind as kind } from "./envoy-filter-kind.ts";
import { istioSamples } from "./testing/samples.ts";

test("[N-17] an EnvoyFilter's row has its selector and both patches' applyTo and operation, never what they patch in [L18]", () => {
  const row = rowOf(kind, istioSamples.envoyFilter);
  expect(columnsOf(kind, row)).toEqual({
    scope: "workload",
    selector: ["app=web"],
    patches: [
      { applyTo: "HTTP_FILTER", operation: "INSERT_BEFORE", context: "SIDECAR_INBOUND" },
      { applyTo: "CLUSTER", operation: "MERGE" },
    ],
    priority: -10,
  });
  expect(rowText(row)).not.toContain(secretMarker);
});

test("[N-17] an EnvoyFilter that is attached by targetRefs names them", () => {
  const target = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "waypoint" };
  const row = rowOf(kind, { metadata: sampleMetadata("f"), spec: { targetRefs: [target] } });
  expect(columnsOf(kind, row)).toEqual({ scope: "workload", targetRefs: [target] });
});
